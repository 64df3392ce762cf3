/**
 * What a response says about a person. `listed` is an entry of the list, which lacks some fields.
 * `previous` is a person of an earlier snapshot. `gone`: the server does not have the person.
 * `missing`: it may have the person, because the 404 is not in the form of V1.
 */
export type Kind = "passport" | "credentials" | "listed" | "previous" | "gone" | "missing";

export type Observation = {
  id: number;
  kind: Kind;
  /** When the response was received; null if unknown. */
  at: string | null;
  /** The newest `last_calculated_at` in it; null if there is none. */
  calculatedAt: string | null;
  /** Canonical JSON: equal content has equal text. For `gone` and `missing`, the reason. */
  text: string;
  /** The id comes from the name of the file. */
  isNamed?: true;
  /** Of a passport: its wallets. */
  wallets?: readonly string[];
};

/** Credentials whose URL has a wallet instead of a passport id. */
export type UnplacedCredentials = Omit<Observation, "id"> & { wallet: string; file: string };

/** A response that cannot be used. */
export type Rejection = { file: string; id: number | null; reason: string };

/** One line of a file for sorting. Only the text can contain a tab, so it comes last. */
export const printObservation = ({ id, kind, at, calculatedAt, text }: Observation): string =>
  `${id}\t${kind}\t${at ?? ""}\t${calculatedAt ?? ""}\t${text}`;

export function parseObservation(line: string): Observation {
  const [id = "", kind = "", at = "", calculatedAt = ""] = line.split("\t", 4);
  const text = line.slice(id.length + kind.length + at.length + calculatedAt.length + 4);
  return { id: Number(id), kind: kind as Kind, at: at || null, calculatedAt: calculatedAt || null, text };
}

import type { Connection } from "#core/database/database.ts";
import { findOptedOutWallets } from "#privacy/find-opted-out-wallets.ts";
import { listOptedOutIds } from "#privacy/opt-outs.ts";
import { findKeptOut } from "#privacy/removed-with-another.ts";
import type { ImportRun, IncomingLine, LineContent } from "./import-run.ts";

/** Finds out which lines of a batch have a person who opted out, by id or by main wallet, or is kept out. */
export async function findOptedOutLines(
  connection: Connection,
  batch: readonly IncomingLine[],
  { optOutKeys: keys, isFromPublisher = false }: Pick<ImportRun, "optOutKeys" | "isFromPublisher">,
) {
  const identifiers = batch.map(({ content }) => identifiersIn(content));
  const ids = new Set(
    await listOptedOutIds(
      connection,
      identifiers.flatMap(({ passport_id }) => passport_id ?? []),
    ),
  );
  const wallets = await findOptedOutWallets(
    connection,
    keys,
    identifiers.flatMap((line) => line.wallets),
  );
  const has = (content: LineContent): boolean => {
    const { passport_id, main_wallet } = identifiersIn(content);
    return (passport_id !== null && ids.has(passport_id)) || (main_wallet !== null && wallets.has(main_wallet));
  };
  const lines = identifiers.flatMap(({ passport_id, main_wallet }) =>
    passport_id === null ? [] : [{ passport_id, main_wallet }],
  );
  const keptOut = await findKeptOut(connection, keys, lines, isFromPublisher);
  const isKeptOut = (content: LineContent): boolean => keptOut.has(identifiersIn(content).passport_id ?? 0);
  return { has, wallets, isKeptOut };
}

/** By which a person can opt out, and all wallets of the line. */
type Identifiers = { passport_id: number | null; main_wallet: string | null; wallets: readonly string[] };

function identifiersIn(content: LineContent): Identifiers {
  if (content.kind === "unchanged") return { passport_id: content.passport_id, main_wallet: null, wallets: [] };
  if (content.kind === "refused") {
    const { passport_id, main_wallet } = content.guessed;
    return { passport_id, main_wallet, wallets: main_wallet === null ? [] : [main_wallet] };
  }
  const { passport_id, passport } = content.person;
  const { main_wallet, verified_wallets } = passport;
  return {
    passport_id,
    main_wallet,
    wallets: main_wallet === null ? verified_wallets : [main_wallet, ...verified_wallets],
  };
}

import type { Passport } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";

// Letters, digits and symbols that show nothing: fillers and blanks beside the usual white space.
const INVISIBLE = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
export const LONG_NAME = 60;
/** Of a text that was searched for, in a heading. */
export const SHORT_QUERY = 40;

/** The display name; null if there is none, or if nobody can see it. */
export function visibleName({ passport_profile: { display_name: name } }: Pick<Passport, "passport_profile">) {
  return name === null || name.replaceAll(INVISIBLE, "") === "" ? null : name;
}

/** A name as a heading or link: the passport's number if there is no name. */
export function nameText(passport: Pick<Passport, "passport_profile" | "passport_id">): Safe {
  const name = visibleName(passport);
  return name === null ? html`Passport ${passport.passport_id}` : html`<bdi>${name}</bdi>`;
}

/**
 * A text from data or from a request within a sentence. A control character in it could end the isolation
 * of `bdi`, and write the sentence backwards.
 */
export const isolated = (text: string, length: number): Safe =>
  html`<bdi>${clip(text.replaceAll(BIDI_CONTROLS, ""), length)}</bdi>`;

/** A name where there is little room. */
export function shortName(passport: Pick<Passport, "passport_profile" | "passport_id">): Safe {
  const name = visibleName(passport);
  return name === null ? html`Passport ${passport.passport_id}` : isolated(name, SHORT_NAME);
}

const SHORT_NAME = 40;

/** A name as plain text, for a title. Without markup, characters that reverse text are removed. */
export function plainName(passport: Pick<Passport, "passport_profile" | "passport_id">): string {
  const name = visibleName(passport)?.replaceAll(BIDI_CONTROLS, "").replaceAll(/\s+/g, " ").trim();
  if (name === undefined) return `Passport ${passport.passport_id}`;
  return clip(name, LONG_NAME);
}

/** At most `length` code points: half a surrogate pair is no character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

export const isLongName = (name: string): boolean => clip(name, LONG_NAME) !== name;

import Type from "typebox";
import { Credential } from "./credential.ts";
import { ERRORS } from "./errors.ts";
import { closed, count, text } from "./fields.ts";
import { Passport, PassportDetail } from "./passport.ts";

export const Pagination = closed(
  {
    current_page: count({
      minimum: 1,
      description: "The page that was asked for, even when it is past the end.",
      examples: [1],
    }),
    last_page: count({
      minimum: 1,
      description: "The last page that can be reached; 1 even when there is nobody.",
      examples: [1],
    }),
    total: count({ description: "How many passports match. Exact, also past the 10,000th match.", examples: [1] }),
  },
  { description: "Where the page stands in the list." },
);
export type Pagination = Type.Static<typeof Pagination>;

export const PassportList = closed(
  {
    passports: Type.Array(Passport, { description: "The passports of this page, at most `per_page`, in list order." }),
    pagination: Pagination,
  },
  { description: "One page of the list." },
);
export type PassportList = Type.Static<typeof PassportList>;

export const SinglePassport = closed({ passport: PassportDetail }, { description: "One passport." });
export type SinglePassport = Type.Static<typeof SinglePassport>;

export const PassportCredentials = closed(
  {
    passport_credentials: Type.Array(Credential, {
      description: "All credentials of the passport, those with 0 points too. Empty when nobody matches.",
    }),
  },
  { description: "The credentials of one passport." },
);
export type PassportCredentials = Type.Static<typeof PassportCredentials>;

export const ErrorBody = closed(
  {
    error: text({ description: "A sentence for people.", examples: [ERRORS.not_found.error] }),
    code: text({
      description: "A stable word for programs. The list is closed.",
      examples: Object.keys(ERRORS),
    }),
  },
  { description: "The body of every error." },
);
export type ErrorBody = Type.Static<typeof ErrorBody>;

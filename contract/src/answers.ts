import Type from "typebox";
import { Credential } from "./credential.ts";
import { ERRORS } from "./errors.ts";
import { closed, count, text } from "./fields.ts";
import { Passport, PassportDetail } from "./passport.ts";

export const Pagination = closed(
  {
    current_page: count({
      minimum: 1,
      description: "The requested page, even when it is past the end.",
      examples: [1],
    }),
    last_page: count({
      minimum: 1,
      description: "The last page that can be requested; 1 when no passport matches.",
      examples: [1],
    }),
    total: count({ description: "The number of matching passports, exact also beyond 10,000.", examples: [1] }),
  },
  { description: "The position of the page in the list." },
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
      description: "All credentials of the passport, including those with 0 points. Empty when no passport matches.",
    }),
  },
  { description: "The credentials of one passport." },
);
export type PassportCredentials = Type.Static<typeof PassportCredentials>;

export const ErrorBody = closed(
  {
    error: text({ description: "A sentence that describes the error.", examples: [ERRORS.not_found.error] }),
    code: text({
      description: "A stable code for programs. The set of codes is closed.",
      examples: Object.keys(ERRORS),
    }),
  },
  { description: "The body of every error response." },
);
export type ErrorBody = Type.Static<typeof ErrorBody>;

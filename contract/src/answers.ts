import Type from "typebox";
import { Credential } from "./credential.ts";
import { ERRORS } from "./errors.ts";
import { closed, count, text } from "./fields.ts";
import { Passport, PassportDetail } from "./passport.ts";

export const Pagination = closed({
  current_page: count({ minimum: 1 }),
  last_page: count({ minimum: 1, description: "The last page that can be reached; 1 even when there is nobody." }),
  total: count({ description: "How many passports match." }),
});
export type Pagination = Type.Static<typeof Pagination>;

export const PassportList = closed({ passports: Type.Array(Passport), pagination: Pagination });
export type PassportList = Type.Static<typeof PassportList>;

export const SinglePassport = closed({ passport: PassportDetail });
export type SinglePassport = Type.Static<typeof SinglePassport>;

export const PassportCredentials = closed({ passport_credentials: Type.Array(Credential) });
export type PassportCredentials = Type.Static<typeof PassportCredentials>;

export const ErrorBody = closed({
  error: text({ description: "A sentence for people." }),
  code: text({ description: "A stable word for programs.", examples: Object.keys(ERRORS) }),
});
export type ErrorBody = Type.Static<typeof ErrorBody>;

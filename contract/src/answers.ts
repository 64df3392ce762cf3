import Type from "typebox";
import { Credential } from "./credential.ts";
import { closed, count } from "./fields.ts";
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

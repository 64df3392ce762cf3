import { readFileSync } from "node:fs";
import type * as answers from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { ERRORS } from "@credence/contract/errors.ts";
import type * as passports from "@credence/contract/passport.ts";
import { expect, expectTypeOf, test } from "vitest";
import * as v1 from "../src/v1.ts";
import { printTypes } from "./print-types.ts";

test("client/src/v1.ts matches contract/openapi.json; run `npm run client-types` after changing it", () => {
  expect(readFileSync(new URL("../src/v1.ts", import.meta.url), "utf8")).toBe(printTypes());
});

// Checked by `npm run types`.
test("the generated types are those of the schemas", () => {
  expectTypeOf<v1.PassportDetail>().toEqualTypeOf<passports.PassportDetail>();
  expectTypeOf<v1.Passport>().toEqualTypeOf<passports.Passport>();
  expectTypeOf<v1.Credential>().toEqualTypeOf<Credential>();
  expectTypeOf<v1.PassportList>().toEqualTypeOf<answers.PassportList>();
  expectTypeOf<v1.SinglePassport>().toEqualTypeOf<answers.SinglePassport>();
  expectTypeOf<v1.PassportCredentials>().toEqualTypeOf<answers.PassportCredentials>();
  const statuses = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
  expect(v1.STATUSES).toEqual(Object.fromEntries(statuses));
});

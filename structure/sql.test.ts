import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CORE, FEATURES, words } from "./features.ts";
import { featureOf, readSources } from "./imports.ts";

/** The files that send statements to the database, by feature. */
// biome-ignore format: a table
const SQL_FILES = {
  "core/database": "copy database listen locks migrations notices revoke-creation role run-read-write server-version server session-settings trusted-schema wrong-server",
  "core/process": "report-worker worker-processes",
  "core/readers": "bounded-pool choose-reader open-reader replica-lag",
  demo: "demo-mark",
  doctor: "check-owner",
  holders: "manage/delete-requests manage/requests manage/worker-settings serve/serve-requests serve/watch-settings settings-in-use waiting-requests",
  keys: "manage/api-keys manage/restrict-keys serve/key-metrics serve/known-keys",
  "life-cycle": "manage/rehearsals",
  list: "epochs manage/build-epoch manage/change-counter manage/check-standing manage/corrections serve/standing-search",
  people: "facts/credentials facts/documents facts/hidden-by-holder facts/opted-out facts/passports facts/seen-people facts/socials facts/stored-states facts/wallet-owner-rule facts/wallets",
  privacy: "audit opt-outs pending-hides planner-statistics requests-of-person",
  restore: "apply-protections list-protections",
  rights: "manage/replace-rights serving-rights",
  usage: "manage/delete-old-usage manage/usage-reports record-usage",
  v1: "look-ups/look-ups",
};

const SENDS = /\.query[(<]|\bquery(?:Value|Column)[(<]|\brunReadWrite[(<]/;

test("SQL is in these files only", () => {
  const files = readSources().filter(({ path, text }) => path.startsWith("service/src/") && SENDS.test(text));
  const byFeature = Object.groupBy(files, ({ path }) => featureOf(path) ?? "");
  const listed = Object.entries(byFeature).map(([feature, some = []]) => [
    feature,
    some.map(({ path }) => path.replace(`service/src/${feature}/`, "").replace(".ts", "")).join(" "),
  ]);
  expect(Object.fromEntries(listed)).toEqual(SQL_FILES);
});

/** Where a feature queries tables of another: an import would be a circle, or the statement needs both. */
// biome-ignore format: a table
const FOREIGN_TABLES = {
  "demo/demo-mark": "passport",
  "holders/manage/requests": "passport_wallet",
  "keys/manage/api-keys": "usage_count",
  "life-cycle/manage/rehearsals": "api_key",
  "list/manage/build-epoch": "passport passport_document",
  "list/manage/check-standing": "passport_document",
  "list/manage/corrections": "passport passport_document",
  "people/facts/hidden-by-holder": "holder_request",
  "people/facts/opted-out": "opt_out",
  "people/facts/passports": "opt_out",
  "privacy/planner-statistics": "standing_epoch",
  "privacy/requests-of-person": "holder_export holder_request passport_wallet",
  "restore/apply-protections": "api_key audit holder_request opt_out passport unsigned_erasure visibility_change",
  "restore/list-protections": "api_key audit holder_hide holder_request kept_hide unsigned_erasure visibility_change",
  "rights/manage/replace-rights": "standing_epoch",
  "usage/manage/usage-reports": "api_key",
  "v1/look-ups/look-ups": "credential_document passport_document wallet_owner",
};

test("a feature queries its own tables, and these of others", () => {
  const owners = new Map(
    [...CORE, ...FEATURES].flatMap(({ name, tables }) => words(tables).map((table) => [table, name])),
  );
  const found = readSources()
    .filter(({ path, text }) => path.startsWith("service/src/") && SENDS.test(text))
    .map(({ path, text }) => {
      const feature = featureOf(path);
      const named = [...text.matchAll(/\b(?:from|join|into|update|table)\s+([a-z_]+)\b/g)].map(
        ([, name]) => name ?? "",
      );
      const foreign = new Set(named.filter((name) => owners.has(name) && owners.get(name) !== feature));
      return [path.replace("service/src/", "").replace(".ts", ""), [...foreign].sort().join(" ")];
    })
    .filter(([, foreign]) => foreign !== "");
  expect(Object.fromEntries(found)).toEqual(FOREIGN_TABLES);
});

test("every table belongs to one feature", () => {
  const schema = readFileSync(new URL("../service/schema.sql", import.meta.url), "utf8");
  const tables = [...schema.matchAll(/^create table (?:public\.)?(\w+)/gim)].map(([, name]) => name ?? "");
  // An epoch of the list has tables of its own.
  const stored = tables.filter((name) => !/^standing_\d/.test(name)).sort();
  const owned = [...CORE, ...FEATURES].flatMap(({ tables }) => words(tables)).sort();
  expect(owned).toEqual(stored);
});

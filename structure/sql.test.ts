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
  decisions: "erased-wallets file keep-file ledger planner-statistics requests-of-person unite",
  demo: "demo-mark",
  doctor: "check-owner",
  holders: "manage/requests serve/requests waiting-requests",
  keys: "manage/api-keys serve/key-metrics serve/known-keys",
  "life-cycle": "manage/rehearsals",
  list: "epochs manage/build-epoch manage/change-counter manage/check-standing manage/corrections serve/standing-search",
  people: "facts/documents facts/people facts/wallet-owners facts/wallets",
  rights: "manage/replace-rights serving-rights",
  snapshots: "import/seen-people",
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
  "decisions/ledger": "holder_request",
  "decisions/planner-statistics": "standing_epoch",
  "decisions/requests-of-person": "holder_request",
  "decisions/unite": "api_key passport_document",
  "demo/demo-mark": "person",
  "holders/manage/requests": "person person_wallet",
  "keys/manage/api-keys": "usage_count",
  "life-cycle/manage/rehearsals": "api_key",
  "list/epochs": "passport_document",
  "list/manage/check-standing": "passport_document",
  "list/manage/corrections": "passport_document",
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

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CORE, FEATURES, words } from "./features.ts";
import { featureOf, readSources } from "./imports.ts";

/** The files that send statements to the database, by feature. */
// biome-ignore format: a table
const SQL_FILES = {
  "carried-fields": "require-level",
  "core/database": "copy database listen locks migrations notices required-program run-read-write server wrong-server",
  "core/process": "report-worker worker-processes",
  "core/readers": "bounded-pool choose-reader open-reader replica-lag",
  demo: "demo-mark",
  doctor: "rights/serving-rights",
  holders: "manage/delete-requests manage/requests serve/serve-requests waiting-requests",
  keys: "manage/api-keys manage/move-keys serve/key-metrics serve/known-keys",
  "life-cycle": "manage/rehearsals",
  list: "epochs manage/build-epoch manage/change-counter manage/check-standing manage/corrections serve/standing-search",
  people: "facts/carried-fields facts/credentials facts/documents facts/due facts/hidden-by-holder facts/merges facts/opted-out facts/passports facts/seen-people facts/socials facts/stored-states facts/wallet-owner-rule facts/wallets",
  privacy: "audit opt-outs planner-statistics requests-of-person",
  restore: "apply-protections list-protections pending-protections",
  scores: "backlog manage/check-scores manage/recalculation-of-all manage/recalculation-queue manage/score-changes",
  snapshots: "import/pending-hides",
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

test("every table belongs to one feature", () => {
  const schema = readFileSync(new URL("../service/schema.sql", import.meta.url), "utf8");
  const tables = [...schema.matchAll(/^create table (?:public\.)?(\w+)/gim)].map(([, name]) => name ?? "");
  // An epoch of the list has tables of its own.
  const stored = tables.filter((name) => !/^standing_\d/.test(name)).sort();
  const owned = [...CORE, ...FEATURES].flatMap(({ tables }) => words(tables)).sort();
  expect(owned).toEqual(stored);
});

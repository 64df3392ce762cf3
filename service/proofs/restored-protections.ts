import { randomUUID } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import type pg from "pg";
import { type Database, openDatabase } from "#core/database/database.ts";
import { codeOf } from "#core/database/failures.ts";
import { migrate } from "#core/database/migrations.ts";
import { exportProtections } from "#restore/export-protections.ts";
import { importProtections, previewProtections } from "#restore/import-protections.ts";
import type { ImportedProtections } from "#restore/plan-protections.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { administer, createDatabase, dropDatabase, markRun, uniqueName, urlOf } from "#testing/server.ts";
import { withProofFolder } from "./harness.ts";
import {
  createLife,
  importEveryone,
  type Life,
  OPERATIONS,
  type Operation,
  passGrace,
  showEveryone,
  type WrittenFile,
  work,
} from "./restored-protections/life.ts";
import { type Observation, observe, readAll } from "./restored-protections/observe.ts";

// Most operations meet others on the same person.
const at = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 4) }, { weight: 2, arbitrary: fc.nat({ max: 5 }) });
const operations = fc.array(fc.record({ action: fc.constantFrom(...OPERATIONS), at }), { minLength: 3, maxLength: 14 });

/**
 * Random operations on a database, with a backup in the middle and files of protections at any time.
 * The backup is restored with one of the files. Then no person who is hidden in the backup or in the
 * file is shown, no person who withdrew is erased, and no revoked key is valid.
 */
export async function proveRestoredProtections(runs: number, seed?: number) {
  const run = await markRun();
  const template = uniqueName();
  await administer((admin) => createDatabase(admin, template, "template template0 encoding 'UTF8'"));
  await migrate(urlOf(template));
  const seen = {
    runs: 0,
    newer: 0,
    hidden: 0,
    kept: 0,
    erased: 0,
    waiting: 0,
    to_decide: 0,
    unsigned: 0,
    shown_in_file: 0,
    keys: 0,
  };
  await withProofFolder(async (folder) => {
    await fc.assert(
      fc.asyncProperty(operations, operations, fc.nat(), async (before, after, choice) => {
        const names = { live: uniqueName(), restored: uniqueName(), again: uniqueName() };
        try {
          await administer((admin) => copyDatabase(admin, names.live, template));
          const life = await liveOn(names, folder, before, after);
          await restore(names, life, choice, folder, seen);
        } finally {
          await administer(async (admin) => {
            for (const name of Object.values(names)) await dropDatabase(admin, name);
          });
        }
        seen.runs += 1;
      }),
      { numRuns: runs, endOnFailure: true, ...(seed !== undefined && { seed }) },
    );
  }).finally(async () => {
    await administer((admin) => dropDatabase(admin, template));
    await run.end();
  });
  return seen;
}

const open = (name: string): Database =>
  openDatabase({ url: urlOf(name), name: "proof", maxConnections: 4, statementTimeoutMs: 0 });

async function withOpen<Result>(name: string, run: (database: Database) => Promise<Result>): Promise<Result> {
  const database = open(name);
  try {
    return await run(database);
  } finally {
    await database.end();
  }
}

const OBJECT_IN_USE = "55006";

/** On a busy machine, a connection that was closed may still be there. */
async function copyDatabase(admin: pg.Client, name: string, from: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await createDatabase(admin, name, `template ${from}`);
    } catch (error) {
      if (codeOf(error) !== OBJECT_IN_USE || attempt === 10) throw error;
    }
  }
}

type Names = { live: string; restored: string; again: string };

/** The operations, with a backup in between: a clone of the database. */
async function liveOn(
  names: Names,
  folder: string,
  before: readonly Operation[],
  after: readonly Operation[],
): Promise<Life> {
  const life = await withOpen(names.live, async (database) => {
    const life = await createLife(database, folder);
    for (const operation of before) await life.run(database, operation);
    return life;
  });
  await administer((admin) => copyDatabase(admin, names.restored, names.live));
  life.isBackedUp = true;
  await withOpen(names.live, async (database) => {
    for (const operation of after) await life.run(database, operation);
    if (life.files.length === 0) await life.run(database, { action: "file", at: 0 });
  });
  return life;
}

type Seen = Record<string, number>;

/** Restores with one of the files, and then once more with the file that the restored database writes. */
async function restore(names: Names, life: Life, choice: number, folder: string, seen: Seen): Promise<void> {
  const file = life.files[choice % life.files.length];
  if (file === undefined) throw new Error("There is no file.");
  await administer((admin) => copyDatabase(admin, names.again, names.restored));
  const next = await withOpen(names.restored, (database) => restoreOne(database, life, [file], folder, seen));
  await withOpen(names.again, (database) => restoreOne(database, life, [next, file], folder, seen));
}

/** Imports the first file, and checks the rules for all of them. Returns the next file. */
async function restoreOne(
  database: Database,
  life: Life,
  files: readonly WrittenFile[],
  folder: string,
  seen: Seen,
): Promise<WrittenFile> {
  const [file] = files as [WrittenFile];
  // Overdue: an erasure that is not delayed would be carried out.
  await passGrace(database);
  const backup = await observe(database);
  const result = await importTwice(database, file.path);
  await work(database);
  const now = await observe(database);
  for (const { observed, isNewer } of files) checkPeople(backup, observed, isNewer, now);
  const next = { path: join(folder, `${randomUUID()}.ndjson`), observed: now, isNewer: true };
  await exportProtections(database, next.path);
  await importEveryone(database);
  const arrived = await observe(database);
  for (const { observed, isNewer } of files) checkArrivals(backup, observed, isNewer, arrived);
  await passGrace(database);
  await work(database);
  const later = await observe(database);
  for (const { observed, isNewer } of files) checkErased(arrived, isNewer ? observed : backup, later);
  await showEveryone(database, life);
  const shown = await observe(database);
  for (const { observed, isNewer } of files) checkOperator(backup, observed, isNewer, shown);
  seen.newer = (seen.newer ?? 0) + Number(file.isNewer);
  const counts = {
    hidden: result.hidden,
    kept: result.kept,
    erased: result.erased,
    waiting: result.erasures_waiting,
    to_decide: result.erasures_to_decide,
    unsigned: result.erasures_unsigned,
    shown_in_file: result.shown_in_file,
    keys: result.keys_restricted,
  };
  for (const [name, list] of Object.entries(counts)) seen[name] = (seen[name] ?? 0) + list.length;
  return next;
}

/** After a dry run. */
async function importTwice(database: Database, path: string): Promise<ImportedProtections> {
  const options = { optOutKeys: [OPT_OUT_KEY], graceMs: HOLDERS_ON.graceMs, onProgress: () => {} };
  const untouched = await readAll(database);
  const planned = await previewProtections(database, path, options);
  requireEqual(untouched, await readAll(database), "a dry run changes nothing");
  const result = await importProtections(database, path, options);
  requireEqual(result, planned, "a dry run says what an import does");
  const first = await readAll(database);
  await importProtections(database, path, options);
  requireEqual(first, await readAll(database), "repeating an import changes nothing");
  return result;
}

function requireEqual(a: unknown, b: unknown, rule: string): void {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  if (left !== right) throw new Error(`Not so: ${rule}.\n${left}\n${right}`);
}

const requireRule = (isKept: boolean, rule: string, context: unknown) => {
  if (!isKept) throw new Error(`Not so: ${rule}. ${JSON.stringify(context)}`);
};

/** `isNewer`: the file was written after the backup. An older file says nothing that the backup lacks. */
function checkPeople(backup: Observation, file: Observation, isNewer: boolean, now: Observation): void {
  for (const [id, was] of Object.entries(backup.people)) {
    const inFile = file.people[id];
    const is = now.people[id];
    const context = { id, was, inFile, isNewer, is };
    if (is === "shown") {
      const isShown = was === "shown" || backup.withdrawing.includes(Number(id));
      requireRule(isShown, "who is hidden in the backup stays hidden", context);
      const isShownInFile = inFile === "shown" || file.withdrawing.includes(Number(id));
      requireRule(!isNewer || isShownInFile, "who is hidden or erased in the file is not shown", context);
    }
    if (was === "shown" && (!isNewer || inFile === "shown") && !backup.hiding.includes(Number(id)))
      requireRule(is === "shown", "all others are shown", context);
    const isErased = was === "erased" || (isNewer && inFile === "erased");
    requireRule((is === "erased") === isErased, "who was erased is erased, and nobody else", context);
  }
  for (const [id, was] of Object.entries(backup.keys)) {
    const is = now.keys[id];
    const inFile = isNewer ? file.keys[id] : was;
    const context = { id, was, inFile, is };
    requireRule(
      is?.isRevoked === (was.isRevoked || (inFile?.isRevoked ?? false)),
      "revoked keys stay revoked",
      context,
    );
    const expected = Math.min(was.expires, inFile?.expires ?? Number.POSITIVE_INFINITY);
    requireRule(is?.expires === expected, "of two expiries the earlier counts", context);
  }
}

/** After an import of everybody. */
function checkArrivals(backup: Observation, file: Observation, isNewer: boolean, now: Observation): void {
  for (const [id, inFile] of Object.entries(file.people)) {
    const is = now.people[id];
    const context = { id, was: backup.people[id], inFile, isNewer, is };
    if (!isNewer) continue;
    if (inFile?.startsWith("hidden"))
      requireRule(is?.startsWith("hidden") ?? false, "who hid after the backup is hidden when imported", context);
    if (inFile === "erased") requireRule(is === "erased", "who was erased is not imported", context);
  }
}

/** After the grace period: `known` is the backup, or what happened after it. */
function checkErased(before: Observation, known: Observation, now: Observation): void {
  for (const [id, is] of Object.entries(now.people)) {
    if (is !== "erased" || before.people[id] === "erased") continue;
    requireRule(known.erasing.includes(Number(id)), "only who asked for it and did not withdraw is erased", { id });
  }
}

/** After every holder asked to be shown. */
function checkOperator(backup: Observation, file: Observation, isNewer: boolean, now: Observation): void {
  for (const [id, is] of Object.entries(now.people)) {
    const [was, inFile] = [backup.people[id], file.people[id]];
    const isByOperator = was === "hidden by operator" || (isNewer && inFile === "hidden by operator");
    const rule = "no holder can show a record that the operator hid";
    if (isByOperator) requireRule(is !== "shown", rule, { id, was, inFile, isNewer, is });
  }
}

import { createHash, randomUUID } from "node:crypto";
import type { Decision } from "@credence/contract/decision.ts";
import { inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import type { SourceFile } from "#core/files/source.ts";
import { sourceOf } from "#core/files/source.ts";
import { findErasedWallets } from "#decisions/erased-wallets.ts";
import { knowsAll, streamFile } from "#decisions/file.ts";
import { fingerprintOf } from "#decisions/keys.ts";
import { listErasedIds } from "#decisions/ledger.ts";
import { type United, uniteDecisions } from "#decisions/unite.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { rebuildDocuments } from "#people/documents/rebuild-documents.ts";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { importPeople } from "#snapshots/import/import-people.ts";
import { decideNow } from "#testing/decide.ts";
import { type ProofDatabase, withProofDatabase } from "./harness.ts";

const KEY = "5e".repeat(32);
const SEED = 61;
const BATCH = 2_000;

/**
 * Measures what a ledger costs beside many people: a decision for every tenth of them. Most people have no
 * credentials, because no decision reads any.
 */
export function proveLedgerSize(people: number) {
  return withProofDatabase(async (proof) => {
    const { database } = proof;
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const started = performance.now();
      await work();
      return Math.round(performance.now() - started);
    };
    const import_ms = await timed(() => importAll(proof, people));
    const without = await timeFilter(proof, people);
    const decisions = [...inventDecisions(people)];
    const mac = createHash("sha256").update(String(people)).digest("hex");
    const options = { keys: [KEY], restoreGraceMs: null, dryRun: false, onProgress: () => {} };
    let united: United | null = null;
    const file = { decisions, isOurs: true, mac, key: fingerprintOf(KEY) };
    const unite_ms = await timed(async () => {
      united = await uniteDecisions(database, file, options);
    });
    const same_again_ms = await timed(() => uniteDecisions(database, file, options));
    const filter_ms = await timeFilter(proof, people);
    const hides = await repeat(50, (index) =>
      decideNow(database, { action: "hide", by: "operator", passportId: people - index }, KEY),
    );
    const erasures = await repeat(20, (index) =>
      decideNow(database, { action: "erased", by: "operator", passportId: people - 100 - index }, KEY),
    );
    const write_file_ms = await timed(async () => {
      for await (const _line of streamFile(database, [KEY], "all"));
    });
    return {
      people,
      decisions: decisions.length,
      import_ms,
      filter_of_a_batch_ms: { without_decisions: without, with_decisions: filter_ms },
      unite_ms,
      same_again_ms,
      united: united === null ? null : describe(united),
      hide_ms: hides,
      erase_ms: erasures,
      write_file_ms,
      knows_file_ms: await timed(() => knowsAll(database, decisions)),
      rebuild_documents_ms: await timed(() => rebuildDocuments(database, () => {})),
      build_list_ms: await timed(() => refreshStanding(database)),
    };
  });
}

const describe = ({ added, hidden, erased }: United) => ({ added, hidden: hidden.length, erased: erased.length });

async function importAll({ database }: ProofDatabase, people: number): Promise<void> {
  const file: SourceFile = {
    name: "invented",
    bytes: null,
    async *read() {
      for (const person of inventPopulation(SEED, people, people / 50))
        yield Buffer.from(`${JSON.stringify(person)}\n`);
    },
  };
  await importPeople(database, sourceOf(file), {
    dryRun: false,
    optOutKeys: [],
    unknownFields: "refuse",
    fields: createFieldCounts(),
    onRejected: ({ reason }) => {
      throw new Error(reason);
    },
    onProgress: () => {},
  });
}

/** Of ten decisions five hide, two show again, two erase with two wallets, and one waits for its erasure. */
function* inventDecisions(people: number): Generator<Decision> {
  const decided = { decided_at: new Date(0).toISOString(), decided_by: "operator", by_role: "proof" } as const;
  for (let index = 1; index <= people / 10; index += 1) {
    const passport_id = index * 9;
    const first = { ...decided, decision_id: randomUUID(), passport_id };
    const kind = index % 10;
    if (kind === 9) yield { ...first, action: "erase", due_at: new Date(0).toISOString() };
    else if (kind < 7) yield { ...first, action: "hide" };
    else {
      const wallets = [0, 1].map((wallet) => createHash("sha256").update(`${index} ${wallet}`).digest("hex"));
      yield { ...first, action: "erased", wallet_key: fingerprintOf(KEY), wallets };
    }
    if (kind === 5 || kind === 6)
      yield { ...decided, decision_id: randomUUID(), passport_id, action: "show", ends: [first.decision_id] };
  }
}

/** What an import asks the ledger about a batch: milliseconds. */
async function timeFilter({ database }: ProofDatabase, people: number): Promise<number> {
  const { rows } = await database.query<{ address: string }>("select address from person_wallet limit $1", [3 * BATCH]);
  const addresses = rows.map(({ address }) => address);
  const ids = Array.from({ length: BATCH }, (_, index) => 1 + ((index * 487) % people));
  const started = performance.now();
  await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    await listErasedIds(connection, ids);
    await findErasedWallets(connection, [KEY], addresses);
  });
  return Math.round(performance.now() - started);
}

async function repeat(times: number, work: (index: number) => Promise<unknown>) {
  const taken: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const started = performance.now();
    await work(index);
    taken.push(performance.now() - started);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round((taken[Math.floor(share * (times - 1))] ?? 0) * 10) / 10;
  return { median: at(0.5), p95: at(0.95) };
}

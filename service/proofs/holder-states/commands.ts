import fc, { type AsyncCommand } from "fast-check";
import { inTransaction } from "#core/database/database.ts";
import { Overloaded } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { approveRequest, refuseRequest, showRequest } from "#holders/manage/operator-decisions.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { HOLDER_ACTIONS, type HolderAction } from "#holders/proof/message.ts";
import { eraseWithTombstone } from "#privacy/remove-people.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import {
  checkAlways,
  checkCounts,
  checkMainWallet,
  checkRefusals,
  checkStep,
  checkWallets,
  REFUSED_BY_OPERATOR,
} from "./invariants.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import {
  changeByOperator,
  DOMAINS,
  idOf,
  importPerson,
  KEYS,
  type Making,
  nowOf,
  passGrace,
  passTime,
  send,
  WALLETS,
  type World,
  work,
} from "./world.ts";

type Settings = Pick<HolderSettings, "mode" | "publicUrl" | "domain" | "keys" | "optOutKey" | "graceMs">;
type Command = AsyncCommand<object, World>;

/** A command whose effect on the world is checked. `run` returns the settings of a step of requests. */
const command = (name: string, run: (world: World, before: Snapshot) => Promise<Settings | undefined>): Command => ({
  check: () => true,
  async run(_model, world) {
    const before = await takeSnapshot(world);
    const settings = await run(world, before);
    const after = await takeSnapshot(world);
    await forgetErased(world, before, after);
    if (settings !== undefined) {
      checkStep(world, before, after, settings);
      checkRefusals(world, before, after);
    }
    checkAlways(world, after);
    await checkWallets(world, after);
    await checkCounts(world);
  },
  toString: () => name,
});

/** If their number is imported again, it is another record. */
async function forgetErased(world: World, before: Snapshot, after: Snapshot): Promise<void> {
  for (const id of before.people.keys()) {
    if (after.people.has(id)) continue;
    world.hiddenByOperator.delete(id);
    world.shownByOperator.set(id, await nowOf(world));
  }
}

const HOUR_MS = 3_600_000;
const person = fc.constantFrom(0, 1, 2);
const wallet = fc.constantFrom(...WALLETS);
const HERE: Making = {
  domain: DOMAINS[0],
  key: KEYS[0],
  lateMinutes: 0,
  isForged: false,
  mode: "on",
  graceMs: HOUR_MS,
};

/** Most requests are made here and now. The others differ in one way. */
const makings: fc.Arbitrary<Making> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(HERE) },
  { weight: 1, arbitrary: fc.constant({ ...HERE, domain: DOMAINS[1] }) },
  { weight: 1, arbitrary: fc.constant({ ...HERE, key: KEYS[1] }) },
  { weight: 1, arbitrary: fc.constantFrom(-60, -6, -4, 14, 16, 60).map((lateMinutes) => ({ ...HERE, lateMinutes })) },
  { weight: 1, arbitrary: fc.constant({ ...HERE, isForged: true }) },
  { weight: 1, arbitrary: fc.constant<Making>({ ...HERE, mode: "review" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 100, 100 * 365 * 24).map((hours) => ({ ...HERE, graceMs: hours * HOUR_MS })),
  },
);

const sends = fc
  .tuple(person, wallet, fc.constantFrom(...HOLDER_ACTIONS), makings)
  .map(([at, number, action, making]) => sendCommand(at, number, action, making));

/** The owner of a record asks: otherwise most requests would come from strangers. */
const ownSends = fc
  .tuple(person, fc.constantFrom(...HOLDER_ACTIONS), fc.boolean(), makings)
  .map(([at, action, isFurther, making]) => sendCommand(at, at === 0 ? Number(isFurther) : at + 1, action, making));

const sendCommand = (at: number, number: number, action: HolderAction, making: Making): Command =>
  command(`send(${action} ${at} by ${number}${making === HERE ? "" : ` ${JSON.stringify(making)}`})`, async (world) => {
    await send(world, at, number, action, making).catch((error) => {
      if (!(error instanceof Overloaded)) throw error;
    });
    return undefined;
  });

/** The response was lost, and the same text is sent again. */
const repeats = fc.nat(20).map((nth) =>
  command(`repeat(${nth})`, async ({ asked, requests }) => {
    const repeated = asked.at(nth % Math.max(asked.length, 1));
    if (repeated === undefined) return undefined;
    const { code, secret } = await requests.enqueue(repeated.request);
    if (code !== repeated.code || secret !== null) throw new Error(`request ${repeated.requestId} has two receipts`);
    return undefined;
  }),
);

const withdrawals = fc.nat(20).map((nth) =>
  command(`withdrawByCode(${nth})`, async ({ asked, requests }, before) => {
    const withdrawn = asked.at(nth % Math.max(asked.length, 1));
    if (withdrawn === undefined) return undefined;
    await requests.withdraw(withdrawn.code);
    if (before.requests.get(withdrawn.requestId)?.completed_at === null) withdrawn.isWithdrawnByCode = true;
    return undefined;
  }),
);

const works = fc
  .record({
    mode: fc.constantFrom("on", "on", "on", "review", "off"),
    domain: fc.constantFrom(DOMAINS[0], DOMAINS[0], DOMAINS[0], DOMAINS[1]),
    graceMs: fc.constantFrom(HOLDERS_ON.graceMs, HOLDERS_ON.graceMs, HOUR_MS),
    keys: fc.constantFrom([KEYS[0]], [KEYS[0]], [KEYS[0], KEYS[1]], [KEYS[1]]),
    optOutKey: fc.constantFrom(OPT_OUT_KEY, OPT_OUT_KEY, OPT_OUT_KEY, null),
    workers: fc.constantFrom(1, 1, 2),
    fails: fc.constantFrom(false, false, false, true),
  })
  .map(({ workers, fails, ...settings }) =>
    workCommand({ ...settings, publicUrl: `https://${settings.domain}` } as Settings, workers, fails),
  );

const workCommand = (settings: Settings, workers: number, fails: boolean): Command =>
  command(`work(${JSON.stringify(settings)} ${workers}${fails ? " fails" : ""})`, async (world, before) => {
    await work(world, settings, workers, fails);
    if (!fails) checkMainWallet(world, before, await takeSnapshot(world), settings);
    return settings;
  });

const plainWork = fc.constant(workCommand(HOLDERS_ON, 1, false));

const decisions = fc.tuple(fc.boolean(), fc.nat(5)).map(([approves, nth]) =>
  command(`${approves ? "approve" : "refuse"}(${nth})`, async (world, before) => {
    const open = [...before.requests].filter(([, { completed_at }]) => completed_at === null);
    const [requestId] = open.at(nth % Math.max(open.length, 1)) ?? [];
    if (requestId === undefined) return undefined;
    const shown = await showRequest(world.database, requestId);
    if (approves) await approveRequest(world.database, requestId, shown?.others ?? [], HOLDERS_ON);
    else await refuseRequest(world.database, requestId, REFUSED_BY_OPERATOR);
    return HOLDERS_ON;
  }),
);

const imports = fc
  .tuple(
    person,
    fc.uniqueArray(wallet, { maxLength: 3 }),
    fc.constantFrom(undefined, undefined, true, false),
    fc.constantFrom(false, false, false, true),
  )
  .map(([at, listed, hidden, merged]) =>
    command(`import(${at} [${listed}] ${JSON.stringify({ hidden, merged })})`, async (world, before) => {
      await importPerson(world, at, listed, { hidden, merged });
      const after = await takeSnapshot(world);
      const id = idOf(world, at);
      const [old, current] = [before.people.get(id), after.people.get(id)];
      if (hidden === true && current !== undefined) world.hiddenByOperator.add(id);
      // Whether it may show the person is checked: only one who did not ask to be hidden.
      if (hidden === false && old?.hidden && !current?.hidden) world.hiddenByOperator.delete(id);
      return undefined;
    }),
  );

const operatorChanges = fc.tuple(fc.constantFrom("hide", "unhide"), person).map(([action, at]) =>
  command(`${action}ByOperator(${at})`, async (world) => {
    const { changed } = await changeByOperator(world, action, at);
    const id = idOf(world, at);
    if (changed === null) return undefined;
    if (action === "hide") world.hiddenByOperator.add(id);
    if (action === "unhide") {
      world.hiddenByOperator.delete(id);
      world.shownByOperator.set(id, await nowOf(world));
    }
    return undefined;
  }),
);

/** Seldom: it ends what else could happen. */
const operatorErasures = fc.tuple(person, fc.nat(3)).map(([at, nth]) =>
  command(`eraseByOperator(${at})`, async (world) => {
    if (nth > 0) return undefined;
    await inTransaction(world.database, async (connection) => {
      await lockPeople(connection);
      await eraseWithTombstone(connection, idOf(world, at), OPT_OUT_KEY);
    });
    return undefined;
  }),
);

const times = fc.constantFrom(
  command("passTime", async (world) => {
    await passTime(world);
    return undefined;
  }),
  command("passGrace", async (world) => {
    await passGrace(world);
    return undefined;
  }),
);

/** Weighted: what holders and workers do, and time, most often. */
export const commandLists = fc.commands(
  [
    ...[ownSends, ownSends, ownSends, ownSends, ownSends, ownSends, sends, sends, repeats, withdrawals],
    ...[plainWork, plainWork, plainWork, plainWork, plainWork, works, works, decisions, decisions],
    ...[imports, operatorChanges, operatorErasures, times, times, times],
  ],
  { maxCommands: 30, size: "max" },
);

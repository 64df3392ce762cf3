import type { Connection } from "#core/database/database.ts";
import { findOptedOutWallets } from "#privacy/find-opted-out-wallets.ts";
import { listOptedOutIds } from "#privacy/opt-outs.ts";
import type { ImportRun, IncomingLine, LineContent } from "./import-run.ts";

/** Finds out which lines of a batch have a person who opted out, by id or by main wallet. */
export async function findOptedOutLines(
  connection: Connection,
  batch: readonly IncomingLine[],
  { optOutKeys: keys }: Pick<ImportRun, "optOutKeys">,
) {
  const identifiers = batch.map(({ content }) => identifiersIn(content));
  const ids = new Set(
    await listOptedOutIds(
      connection,
      identifiers.flatMap(({ passport_id }) => passport_id ?? []),
    ),
  );
  const wallets = await findOptedOutWallets(
    connection,
    keys,
    identifiers.flatMap((line) => line.wallets),
  );
  const has = (content: LineContent): boolean => {
    const { passport_id, main_wallet } = identifiersIn(content);
    return (passport_id !== null && ids.has(passport_id)) || (main_wallet !== null && wallets.has(main_wallet));
  };
  return { has, wallets };
}

/** By which a person can opt out, and all wallets of the line. */
type Identifiers = { passport_id: number | null; main_wallet: string | null; wallets: readonly string[] };

function identifiersIn(content: LineContent): Identifiers {
  if (content.kind === "unchanged") return { passport_id: content.passport_id, main_wallet: null, wallets: [] };
  if (content.kind === "refused") {
    const { passport_id, main_wallet } = content.guessed;
    return { passport_id, main_wallet, wallets: main_wallet === null ? [] : [main_wallet] };
  }
  const { passport_id, passport } = content.person;
  const { main_wallet, verified_wallets } = passport;
  return {
    passport_id,
    main_wallet,
    wallets: main_wallet === null ? verified_wallets : [main_wallet, ...verified_wallets],
  };
}

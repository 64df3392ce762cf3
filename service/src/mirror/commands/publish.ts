import { Command } from "commander";
import { readPrivateKey } from "#core/files/signing-key.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatPeople, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { exportForMirrors } from "#mirror/manage/export-for-mirrors.ts";
import { openPublication, updateSigned } from "#mirror/manage/publication.ts";
import { type Published, publish } from "#mirror/manage/publish.ts";

type Options = { key?: string; toNamedReaders?: boolean; end?: boolean; json?: boolean };

export const publishCommand = (terminal: Terminal): Command =>
  new Command("publish")
    .description("publish once what V1 shows, for mirrors: a snapshot if one is due, and a new signature")
    .argument("[folder]", "a folder that the web server reads (default: PUBLISH_FOLDER)")
    .option("--key <file>", "the private Ed25519 key, PEM (default: PUBLISH_KEY)")
    .option("--to-named-readers", "with AUTH_MODE=required: the web server gives the folder to readers you know only")
    .option("--end", "publish no more: `doctor` and the alert wait for no further signature")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
A worker with PUBLISH_FOLDER and PUBLISH_KEY does the same every five minutes. Six hours after the last signature, mirrors
show nobody. The snapshot is replaced within an hour after somebody was hidden or erased, or lost a wallet, and otherwise
once a day if anything has changed. docs/MIRROR.md has the steps and the duties.

Example:
  $ credence publish ./published --key private.pem`,
    )
    .action((folder: string | undefined, options: Options) =>
      options.end ? endPublication(terminal, options) : publishOnce(terminal, folder, options),
    );

/** For an operator who has tried it, or stops. A worker that still publishes begins again. */
const endPublication = (terminal: Terminal, { json }: Options): Promise<void> =>
  withDatabase(terminal, "publish", async (database) => {
    await updateSigned(database, null);
    const text = "This server publishes no more. Delete the folder: within six hours, its mirrors show nobody.";
    printResult(terminal, json, { signed_until: null }, text);
  });

async function publishOnce(
  terminal: Terminal,
  folder: string | undefined,
  { key, toNamedReaders = false, json }: Options,
): Promise<void> {
  const { publish: settings, authMode, publicUrl, sunsetAt } = requireConfig(terminal);
  const [path, keyPath] = [folder ?? settings?.folder, key ?? settings?.keyPath];
  if (path === undefined || keyPath === undefined) {
    throw new Failure(
      `The ${path === undefined ? "folder" : "private key (--key)"} is missing.`,
      "Name both: credence publish ./published --key private.pem",
      EXIT.usage,
    );
  }
  if (authMode === "required" && !(toNamedReaders || settings?.toNamedReaders)) {
    throw new Failure(
      "AUTH_MODE is required, so V1 shows nobody to strangers, and the folder would.",
      "If your web server gives it to readers you know only, add --to-named-readers.",
      EXIT.usage,
    );
  }
  const privateKey = await readPrivateKey(keyPath);
  printOnInterrupt(terminal, "The snapshot is incomplete. The next run deletes it.");
  const published = await withDatabase(terminal, "publish", (database) =>
    withProgress(terminal, "Wrote", (update) =>
      publish(database, {
        ...{ folder: path, privateKey, source: publicUrl, sunsetAt },
        onProgress: (people, total) => update(people, people, total),
      }),
    ),
  );
  if (published === null) return printMessage(terminal, "Another process is publishing now.");
  printResult(terminal, json, published.latest, describe(path, published));
}

function describe(path: string, { latest, people }: Published): string {
  if (latest === null) return "V1 has ended, and nothing was published before.";
  if (latest.ended) return `"${path}" says that V1 has ended here.`;
  const snapshot = people === null ? `The snapshot ${latest.snapshot} stays` : `Wrote ${formatPeople(people)}`;
  return `${snapshot}. "${path}" is signed until ${latest.expires_at}, with feed ${latest.feed}.`;
}

/** `credence export --for-mirrors`. */
export async function exportForMirrorsTo(
  terminal: Terminal,
  folder: string,
  { sign, json }: { sign?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  const { publicUrl: source } = requireConfig(terminal);
  const privateKey = sign === undefined ? null : await readPrivateKey(sign);
  printOnInterrupt(terminal, `"${folder}" is incomplete: remove it.`);
  const { manifest } = await withDatabase(terminal, "export", async (database) => {
    const { feed } = await openPublication(database);
    return withProgress(terminal, "Exported", (update) =>
      exportForMirrors(database, folder, {
        ...{ source, feed, privateKey },
        onProgress: (people, total) => update(people, people, total),
      }),
    );
  });
  const text = `Wrote ${formatPeople(manifest.people)} whom V1 shows to "${folder}"${privateKey === null ? "" : ", signed"}.`;
  printResult(terminal, json, manifest, text);
}

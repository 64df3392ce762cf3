import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { formatCount, formatDuration, formatPeople } from "#core/terminal/output.ts";
import { LATEST_EVERY_MS, LATEST_LIFETIME_MS } from "#mirror/times.ts";
import { deletionTime } from "./delete-due.ts";
import { isFresh } from "./judge-latest.ts";
import { findMirrorOf, type MirrorOf } from "./mirror-of.ts";

/** Several polls in a row have failed. */
const FAILING_MS = 6 * LATEST_EVERY_MS;

/** Whether this server may show people, if it is a mirror, and what its operator has to decide. */
export async function checkMirror(database: Database, config: Pick<Config, "mirror" | "optOutKeys">): Promise<Finding> {
  try {
    return judge(await findMirrorOf(database), config);
  } catch (error) {
    if (isDenied(error)) return notChecked("the serving role sees only how old a mirror is");
    throw error;
  }
}

function judge(stored: MirrorOf | null, { mirror, optOutKeys }: Pick<Config, "mirror" | "optOutKeys">): Finding {
  if (stored === null) {
    if (mirror === null) return ok("this server is no mirror");
    return problem(
      "MIRROR_OF is set, and no worker has asked the publisher",
      "Start one; its log says what is missing.",
    );
  }
  const { url, taken_over_at, held_people, now } = stored;
  const held = `${formatPeople(held_people)} were missing at the publisher, more than 1 %: they are shown to nobody, and deleted after 30 days`;
  if (taken_over_at !== null) {
    if (held_people > 0)
      return warning(held, "Show them with `credence passport unhide`, or delete them: credence mirror accept");
    return ok(`this server took over from ${url} on ${taken_over_at.toISOString()}`);
  }
  const age = describeAge(stored);
  if (stored.created_at === null) {
    return problem(
      `${age}: V1 and the pages about people respond with 503`,
      "Correct the cause, or ask the publisher. A worker asks again every five minutes.",
    );
  }
  if (!isFresh(stored, now)) {
    const days = Math.max(0, Math.ceil((deletionTime(stored).getTime() - now.getTime()) / 86_400_000));
    return problem(
      `${age}: V1 and the pages about people respond with 503, and in ${formatCount(days, "day")} everybody is deleted`,
      "Ask the publisher. If it does not come back, decide: `credence mirror take-over`.",
    );
  }
  if (optOutKeys.length === 0) {
    return problem(
      `${age}, and OPT_OUT_KEY is not set: this mirror will follow no more`,
      "Set the key of this mirror.",
    );
  }
  if (held_people > 0) {
    return warning(held, "Ask the publisher whether it is right, then delete them now: credence mirror accept");
  }
  const left = (stored.expires_at?.getTime() ?? 0) - now.getTime();
  const failingMs = stored.failed_since === null ? 0 : now.getTime() - stored.failed_since.getTime();
  if (left > LATEST_LIFETIME_MS / 2 && failingMs < FAILING_MS) return ok(age);
  const advice =
    stored.failure === null
      ? "Look whether the worker of this mirror runs, and what its log says."
      : "Correct the cause, or ask the publisher.";
  return warning(`${age}; in ${formatDuration(left)}, this mirror will show nobody`, advice);
}

export type MirrorStatus = {
  url: string;
  created_at: Date | null;
  latest_at: Date | null;
  expires_at: Date | null;
  held_people: number;
  failure: string | null;
  text: string;
};

/** Null if this server follows nobody, or the role may not read it. */
export async function readMirrorStatus(database: Database): Promise<MirrorStatus | null> {
  const stored = await findMirrorOf(database).catch((error) => {
    if (isDenied(error)) return null;
    throw error;
  });
  if (stored === null || stored.taken_over_at !== null) return null;
  const { url, created_at, latest_at, expires_at, held_people, failure } = stored;
  return { url, created_at, latest_at, expires_at, held_people, failure, text: describeAge(stored) };
}

/** How old what is shown is, and why. */
function describeAge({ url, latest_at, failure, now }: MirrorOf): string {
  const signed =
    latest_at === null
      ? `${url} has not answered yet`
      : `${url} signed ${formatDuration(Math.max(0, now.getTime() - latest_at.getTime()))} ago`;
  return failure === null ? signed : `${signed} (${failure.replace(/\.$/, "")})`;
}

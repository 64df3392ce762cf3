import { VERSION } from "#core/config/version.ts";
import { type Finding, MAX_UNLISTED_HOURS, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import { type Reply, readJson } from "./send.ts";
import type { Site } from "./site.ts";

const MAX_CLOCK_DIFFERENCE_SECONDS = 60;

export type Health = { reply: Reply; ready?: boolean; version?: string; ageSeconds?: number; unlistedSeconds?: number };

export async function readHealth({ send, url }: Pick<Site, "send" | "url">): Promise<Health> {
  const reply = await send(`${url}/health/ready`);
  const { ready, version, data_age_seconds: age, unlisted_seconds: unlisted } = readJson(reply);
  return {
    reply,
    ...(typeof ready === "boolean" && { ready }),
    ...(typeof version === "string" && { version }),
    ...(typeof age === "number" && { ageSeconds: age }),
    ...(typeof unlisted === "number" && { unlistedSeconds: unlisted }),
  };
}

export function checkReadiness({ reply, ready }: Health): Finding {
  if (ready === undefined) {
    return warning(
      `/health/ready responds with ${reply.status}, but not as Credence does`,
      "Forward /health/ready to PORT of Credence, so that this check and load balancers can use it.",
    );
  }
  if (ready) return ok("ready");
  return problem(
    "/health/ready reports that the server is not ready",
    "Run `credence doctor` with the environment of the server: it checks database, role and schema.",
  );
}

export function checkVersion({ version }: Health): Finding {
  if (version === undefined) return notChecked("/health/ready does not state a version");
  if (version === VERSION) return ok(version);
  return warning(
    `the server has ${quote(version)}, this program is ${VERSION}`,
    "Run this command with the version of the server, or update the older of the two.",
  );
}

export function checkDataAge({ ageSeconds, unlistedSeconds = 0 }: Health): Finding {
  if (ageSeconds === undefined) return notChecked("/health/ready does not state the age of the data");
  const hours = ageSeconds / 3_600;
  const finding = hours < 1 ? "under an hour old" : `${Math.round(hours)} h old`;
  const unlistedHours = unlistedSeconds / 3_600;
  if (unlistedHours < MAX_UNLISTED_HOURS) return ok(finding);
  return warning(
    `${finding}; changes of people wait for ${Math.round(unlistedHours)} h to be listed`,
    "Start `credence work`, or run `credence standing refresh` after changes.",
  );
}

/** The end of V1 and the expiry of keys depend on the clock of the server. */
export function checkClock({ reply }: Health): Finding {
  const at = Date.parse(reply.header("date") ?? "");
  if (Number.isNaN(at)) return notChecked("there is no Date header");
  const seconds = Math.round(Math.abs(reply.receivedAt - at) / 1_000);
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return ok("the clock of the server agrees with that of this machine");
  return warning(
    `the clock of the server differs from that of this machine by ${seconds} s`,
    "Synchronise both clocks with NTP. The end of V1 and the expiry of keys depend on the clock of the server.",
  );
}

import type { Calendar } from "#core/config/calendar.ts";
import { isLoopback } from "#core/config/config-values.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** About as long as the schedule `rising`. */
const NOTICE_DAYS = 90;
/** Shorter ones are hidden by caches and by clients that try again. */
const MIN_BROWNOUT_MS = 5 * MINUTE_MS;
const MAX_BROWNOUT_MS = 2 * DAY_MS;

/** What may go wrong, and what to do about it. */
export type Risk = { finding: string; advice: string };

export type Plan = Calendar & Readonly<{ publicUrl: string; authMode: "optional" | "required" | "open" }>;

/** The risks of a valid calendar at a time, in milliseconds. */
export function findRisks(plan: Plan, now: number): Risk[] {
  return [...sunsetRisks(plan, now), ...brownoutRisks(plan), ...informationRisks(plan, now)];
}

const risk = (finding: string, advice: string): Risk => ({ finding, advice });

function sunsetRisks({ sunsetAt }: Plan, now: number): Risk[] {
  if (sunsetAt === null) {
    return [risk("No sunset is set: clients have no date to plan for.", "Set V1_SUNSET_AT as soon as it is decided.")];
  }
  const days = Math.floor((sunsetAt.getTime() - now) / DAY_MS);
  if (sunsetAt.getTime() <= now) {
    return [risk("The sunset has passed: every V1 response is 410.", "If V1 is still in use, change V1_SUNSET_AT.")];
  }
  const risks: Risk[] = [];
  if (days < NOTICE_DAYS) {
    risks.push(
      risk(`The sunset is in ${days} days: clients have less than ${NOTICE_DAYS} days.`, "Consider a later date."),
    );
  }
  if (isWeekend(sunsetAt)) {
    risks.push(risk("The sunset is on a weekend.", "Choose a working day, on which clients can react."));
  }
  return risks;
}

const isWeekend = (date: Date): boolean => [0, 6].includes(date.getUTCDay());

/** Whether a part of it is on a Saturday or a Sunday, in UTC. */
const touchesWeekend = ({ startsAt, endsAt }: Plan["brownouts"][number]): boolean => {
  for (let day = startsAt.getTime(); day < endsAt.getTime(); day += DAY_MS) if (isWeekend(new Date(day))) return true;
  return isWeekend(new Date(endsAt.getTime() - 1));
};

function brownoutRisks({ deprecatedAt, sunsetAt, brownouts }: Plan): Risk[] {
  if (sunsetAt === null) return [];
  if (brownouts.length === 0) {
    const finding = "There are no brownouts: clients that read no headers notice the end when it is too late.";
    return [risk(finding, "Set V1_BROWNOUTS, for example to rising.")];
  }
  const length = (brownout: (typeof brownouts)[number]) => brownout.endsAt.getTime() - brownout.startsAt.getTime();
  const count = (isMeant: (brownout: (typeof brownouts)[number]) => boolean) => brownouts.filter(isMeant).length;
  const found: [count: number, finding: string, advice: string][] = [
    [
      count((brownout) => length(brownout) < MIN_BROWNOUT_MS),
      "shorter than 5 minutes: caches and retries hide it",
      "Make it longer.",
    ],
    [
      count((brownout) => length(brownout) > MAX_BROWNOUT_MS),
      "longer than 48 hours: clients may take it for the end",
      "Make it shorter, or use several.",
    ],
    [
      count(touchesWeekend),
      "partly on a weekend: nobody may notice it in time",
      "Choose other times. With rising, choose a sunset on a Monday, Tuesday or Wednesday.",
    ],
    [
      count(({ startsAt }) => startsAt < deprecatedAt),
      "before the deprecation: nobody expects it",
      "Move it after V1_DEPRECATED_AT.",
    ],
  ];
  return found
    .filter(([affected]) => affected > 0)
    .map(([affected, finding, advice]) =>
      risk(`Of ${brownouts.length} brownouts, ${affected} ${verb(affected)} ${finding}.`, advice),
    );
}

const verb = (count: number): string => (count === 1 ? "is" : "are");

function informationRisks({ deprecatedAt, docsUrl, successorUrl, publicUrl, authMode }: Plan, now: number): Risk[] {
  const risks: Risk[] = [];
  if (deprecatedAt.getTime() > now) {
    risks.push(risk("The deprecation date is in the future.", "Correct if V1 is deprecated from that date on."));
  }
  if (successorUrl === null) {
    risks.push(
      risk("No successor is named: clients do not know where to go.", "Set V1_SUCCESSOR_URL, if there is one."),
    );
  }
  const { protocol, hostname } = new URL(docsUrl);
  if (protocol !== "https:" || isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"))) {
    const finding = `The deprecation link is ${docsUrl}, which clients may not be able to open.`;
    risks.push(risk(finding, "Set PUBLIC_URL, or V1_DOCS_URL, to an https:// URL that clients can open."));
  } else if (docsUrl !== `${publicUrl}/deprecation`) {
    const advice = `Check that it has all dates, or unset V1_DOCS_URL to link to ${publicUrl}/deprecation.`;
    risks.push(risk(`The deprecation link is ${docsUrl}, which does not follow the calendar by itself.`, advice));
  }
  if (authMode !== "required") {
    const finding = `AUTH_MODE is ${authMode}: clients without a key are unknown and cannot be notified.`;
    risks.push(risk(finding, "They notice headers and brownouts only. Plan enough brownouts."));
  }
  return risks;
}

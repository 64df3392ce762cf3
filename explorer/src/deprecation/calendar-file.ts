import { formatSpan } from "../dates.ts";
import type { Settings } from "../settings.ts";

type Event = { id: string; from: Date; until: Date; summary: string; description: string };

/**
 * The outages and the end of V1 as a calendar file (RFC 5545). Only settings are in it, so that every
 * node sends the same bytes.
 */
export function calendarFile({ publicUrl, deprecatedAt, sunsetAt, brownouts }: Settings): string {
  const host = new URL(publicUrl).host;
  const events: Event[] = brownouts.map(({ startsAt, endsAt }, index) => ({
    id: `brownout-${index + 1}`,
    from: startsAt,
    until: endsAt,
    summary: `V1 of ${host}: outage ${index + 1} of ${brownouts.length} (${formatSpan(endsAt.getTime() - startsAt.getTime())})`,
    description: `Every request to ${publicUrl}/api/v1 gets 410 with the code brownout.`,
  }));
  if (sunsetAt !== null) {
    events.push({
      id: "end",
      from: sunsetAt,
      until: sunsetAt,
      summary: `V1 of ${host} ends`,
      description: `From now on every request to ${publicUrl}/api/v1 gets 410 with the code gone.`,
    });
  }
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Credence//V1 deprecation//EN", `NAME:V1 of ${host}`],
    ...events.flatMap(({ id, from, until, summary, description }) => [
      "BEGIN:VEVENT",
      `UID:${id}@${host}`,
      `DTSTAMP:${utc(deprecatedAt)}`,
      `DTSTART:${utc(from)}`,
      ...(until > from ? [`DTEND:${utc(until)}`] : []),
      `SUMMARY:${summary}`,
      `DESCRIPTION:${description}`,
      `URL:${publicUrl}/deprecation`,
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

/** `20271231T000000Z`. */
const utc = (date: Date): string => date.toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** A line has at most 75 bytes. A longer one goes on after a line break and a space. All are ASCII. */
const fold = (line: string): string => (line.match(/.{1,74}/g) ?? []).join("\r\n ");

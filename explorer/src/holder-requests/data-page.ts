import type { Person } from "@credence/contract/person.ts";
import { formatCount, formatDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { hundredths } from "../people/figures.ts";
import { table } from "../table.ts";
import { type HolderSite, holderPage } from "./holder-site.ts";

/** Everything stored about a person. */
export type StoredRecord = Pick<Person, "passport" | "credentials"> & { score_changes: readonly ScoreChange[] };

type ScoreChange = {
  changed_at: string;
  from_score: number | null;
  to_score: number | null;
  /** The part of the change that the credentials do not explain. */
  unexplained: number;
  /** `by`: the change of the score, null if no score counts the category. */
  credentials: readonly { name: string; by: number | null }[];
};

export type DataView = { code: string; secret: string; record: StoredRecord };

/** A summary of the prepared data. The file has all of it. */
export function dataPage(site: HolderSite, { code, secret, record }: DataView): Safe {
  const { passport, credentials, score_changes } = record;
  return holderPage(site, {
    title: "Your data",
    main: html`<section>
<h1>What is stored about passport ${passport.passport_id}</h1>
<dl class="facts">
<dt>Scores</dt><dd>${points(passport.score)} in all; activity ${points(passport.activity_score)}, identity ${points(passport.identity_score)}, skills ${points(passport.skills_score)}</dd>
<dt>Profile</dt><dd>${profileOf(passport.passport_profile)}</dd>
<dt>Wallets</dt><dd>${passport.verified_wallets.length} verified${passport.main_wallet !== null && ", and a main wallet"}</dd>
<dt>Profiles elsewhere</dt><dd>${passport.passport_socials.length}</dd>
<dt>Credentials</dt><dd>${credentials.length}</dd>
<dt>Score changes</dt><dd>${score_changes.length} in the last 90 days; older ones are deleted</dd>
</dl>
<form action="${site.links.to("/holder/requests/data")}" method="post">
<input type="hidden" name="code" value="${code}">
<input type="hidden" name="secret" value="${secret}">
<input type="hidden" name="as" value="file">
<button>Download all of it</button>
</form>
</section>
<section aria-labelledby="why">
<h2 id="why">Why the score is what it is</h2>
<p>The score is made of the points of ${formatCount(credentials.length, "credential")}; the file lists each with its points.</p>
${
  score_changes.length === 0
    ? html`<p>It did not change in the last 90 days.</p>`
    : table(
        { text: "Every change of the last 90 days and the credentials behind it" },
        ["When", "Score", "Because of"],
        score_changes.map(changeRow),
      )
}
</section>`,
  });
}

const points = (score: number | null): string => (score === null ? "no score" : hundredths(score));

function profileOf(profile: StoredRecord["passport"]["passport_profile"]): string {
  const { display_name, bio, location, tags } = profile;
  const parts = [display_name && "name", bio && "text", location && "location"].filter(Boolean);
  if (tags.length > 0) parts.push(formatCount(tags.length, "tag"));
  return parts.join(", ") || "empty";
}

function changeRow({ changed_at, from_score, to_score, unexplained, credentials }: ScoreChange) {
  const date = new Date(changed_at);
  const causes = credentials.map(({ name, by }) => html`<bdi>${name}</bdi>${by !== null && ` ${signed(by)}`}; `);
  return {
    head: html`<time datetime="${date.toISOString()}">${formatDay(date)}</time>`,
    second: html`${points(from_score)} to ${points(to_score)}`,
    cell: html`${causes}${unexplained !== 0 && html`not explained by credentials ${signed(unexplained)}`}`,
  };
}

const signed = (change: number): string => (change < 0 ? `−${hundredths(-change)}` : `+${hundredths(change)}`);

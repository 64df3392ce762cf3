import { formatElapsed } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { OLD_MS } from "./distribution.ts";
import { hundredths } from "./figures.ts";
import type { Compared } from "./lanes.ts";
import { shortName } from "./names.ts";
import { PARTS, type Scores } from "./parts.ts";

/** Who has more points, in one or two sentences, and whether a score is much older. */
export function compareResult(people: readonly Compared[]): Safe {
  return html`<p>${sentences(people)}</p>
${ageNote(people)}`;
}

type Scored = { name: Safe; score: number; scores: Scores };

function sentences(people: readonly Compared[]): Safe {
  const without = people.filter(({ passport }) => passport.score === null).map(({ passport }) => shortName(passport));
  const scored = people
    .flatMap(({ passport }): Scored[] => {
      const { score } = passport;
      return score === null ? [] : [{ name: shortName(passport), score, scores: passport }];
    })
    .toSorted((a, b) => b.score - a.score);
  const missing = without.length > 0 && html`${listOf(without)} ${without.length === 1 ? "has" : "have"} no score. `;
  const [first, second] = scored;
  return html`${missing}${first !== undefined && second !== undefined && ranked(scored, first, second)}`;
}

function ranked(scored: readonly Scored[], first: Scored, second: Scored): Safe {
  const last = scored.at(-1) as Scored;
  if (first.score === last.score)
    return html`<b>${scored.length === 2 ? "Both" : "All"} have ${hundredths(first.score)} points.</b>`;
  const ahead = PARTS.filter(({ pointsOf }) =>
    scored.every((other) => other === first || pointsOf(first.scores) > pointsOf(other.scores)),
  ).map(({ name }) => html`${name.toLowerCase()}`);
  const leadsAll = ahead.length === PARTS.length;
  const lead = pointsText(first.score - second.score);
  if (scored.length === 2) {
    const where = leadsAll ? html`all three parts` : listOf(ahead);
    return html`<b>${first.name} has ${lead} more</b>${ahead.length > 0 && html`, and is ahead in ${where}`}.`;
  }
  if (first.score === second.score) {
    const leaders = scored.filter(({ score }) => score === first.score).map(({ name }) => name);
    return html`<b>${listOf(leaders)} have the most points</b>, ${hundredths(first.score)} each. ${fewest(scored)}`;
  }
  if (!leadsAll)
    return html`<b>${first.name} has the most points</b>, ${hundredths(first.score - second.score)} more than ${second.name}. ${fewest(scored)}`;
  const rest = scored.length === 3 && second.score !== last.score;
  return html`<b>${first.name} is ahead in all three parts.</b> ${
    rest ? html`${second.name} and ${last.name} are ${pointsText(second.score - last.score)} apart.` : fewest(scored)
  }`;
}

const pointsText = (points: number): string => `${hundredths(points)} point${points === 1 ? "" : "s"}`;

/** Nothing if several have the fewest. */
function fewest(scored: readonly Scored[]): Safe | null {
  const last = scored.at(-1) as Scored;
  return scored.at(-2)?.score === last.score ? null : html`${last.name} has the fewest.`;
}

const listOf = (names: readonly Safe[]): Safe =>
  html`${names.map((name, index) => html`${index > 0 && (index === names.length - 1 ? " and " : ", ")}${name}`)}`;

function ageNote(people: readonly Compared[]): Safe | null {
  const times = people.flatMap(({ passport: { last_calculated_at: at } }) => (at === null ? [] : [Date.parse(at)]));
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (times.length < 2 || newest - oldest <= OLD_MS) return null;
  return html`<p class="pills"><span class="pill old">One score is ${formatElapsed(new Date(oldest), new Date(newest))} older</span></p>`;
}

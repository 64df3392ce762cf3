import type { Passport } from "@credence/contract/passport.ts";
import { formatMonth } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { hundredths } from "./figures.ts";

export const BADGE_SIZE = { width: 190, height: 20 };

export const badgePath = (passportId: number): string => `/badge/${passportId}.svg`;

type Scores = Pick<Passport, "score" | "last_calculated_at" | "activity_score" | "identity_score" | "skills_score">;

/** What the badge shows, as text. It contains no text from the record, only numbers and a date. */
export function badgeText({ score, last_calculated_at }: Scores): string {
  if (score === null) return "Passport score: none";
  const date = last_calculated_at === null ? "" : `, ${formatMonth(new Date(last_calculated_at))}`;
  return `Passport score: ${hundredths(score)}${date}`;
}

/** The badge of someone who is not shown, for whatever reason. */
const NEUTRAL_TEXT = "Passport score: not shown";

// Colours are attributes, and not a style element, so that every content security policy allows them.
const TEXT = "#4f5e69";
const FILL = "#0b5a70";
const MARGIN = 7;
const GAP = 2;

/** The badge as an SVG image: the score and its month, and a line with the three parts. */
export function badge(passport: Scores | null): Safe {
  const text = passport === null ? NEUTRAL_TEXT : badgeText(passport);
  const { width, height } = BADGE_SIZE;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${text}">
<title>${text}</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="2.5" fill="#fff" stroke="#74828c"/>
<text x="${width / 2}" y="13" text-anchor="middle" font-family="system-ui, sans-serif" font-size="11" fill="${TEXT}" textLength="${textWidth(text)}" lengthAdjust="spacingAndGlyphs">${text}</text>
${passport !== null && passport.score !== null && partLine(passport)}</svg>
`;
}

/** Fonts differ in width, so the text is fitted into this many pixels. */
const textWidth = (text: string): number => Math.min(BADGE_SIZE.width - 2 * MARGIN, Math.round(text.length * 5.7));

function partLine({ activity_score, identity_score, skills_score }: Scores): Safe[] {
  const parts = [activity_score, identity_score, skills_score];
  const sum = parts.reduce((total, part) => total + part, 0);
  if (sum === 0) return [];
  const room = BADGE_SIZE.width - 2 * MARGIN - GAP * (parts.length - 1);
  let x = MARGIN;
  return parts.map((part) => {
    const width = (part / sum) * room;
    const line = html`<rect x="${x.toFixed(1)}" y="16" width="${width.toFixed(1)}" height="2" fill="${FILL}"/>`;
    x += width + GAP;
    return line;
  });
}

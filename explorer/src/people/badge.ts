import type { Passport } from "@credence/contract/passport.ts";
import { formatMonth } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { MARK_PATH } from "../layout.ts";
import { hundredths } from "./figures.ts";

export const BADGE_SIZE = { width: 200, height: 20 };

export const badgePath = (passportId: number, variant: "" | "-dark" = ""): string =>
  `/badge/${passportId}${variant}.svg`;

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
const LIGHT = { paper: "#fff", wash: "#f3f6f7", line: "#74828c", ink: "#16212a", soft: "#4f5e69", accent: "#0b5a70" };
const DARK = { paper: "#11181d", wash: "#192229", line: "#75848f", ink: "#e4e9ec", soft: "#a3b0b9", accent: "#86c6d8" };
type Colors = typeof LIGHT;

const VALUE_START = 118;
const END = BADGE_SIZE.width - 7;
const GAP = 2;

/** The badge as an SVG image: mark, label, score and month, and a line with the three parts. */
export function badge(passport: Scores | null, isDark = false): Safe {
  const colors = isDark ? DARK : LIGHT;
  const { paper, wash, line, soft, accent } = colors;
  const text = passport === null ? NEUTRAL_TEXT : badgeText(passport);
  const { width, height } = BADGE_SIZE;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${text}">
<title>${text}</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="2.5" fill="${paper}" stroke="${line}"/>
<path fill="${wash}" d="M1 3a2 2 0 0 1 2-2h107v18H3a2 2 0 0 1-2-2z"/><path fill="${line}" d="M110 1h1v18h-1z"/>
<path fill="${accent}" transform="translate(6 4) scale(.5)" d="${MARK_PATH}"/>
${label(24, 14, soft, "Passport score", 79)}
${passport === null || passport.score === null ? plainValue(passport, colors) : [scoreValue(passport, passport.score, colors), ...partLine(passport, accent)]}</svg>
`;
}

/** Fonts differ in width, so a text is fitted into this many pixels. */
const label = (x: number, y: number, fill: string, text: string, width: number, more: Safe | null = null): Safe =>
  html`<text x="${x}" y="${y}" font-family="system-ui, sans-serif" font-size="11"${more} fill="${fill}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${text}</text>`;

const plainValue = (passport: Scores | null, { ink }: Colors): Safe =>
  passport === null ? label(VALUE_START, 14, ink, "not shown", 48) : label(VALUE_START, 14, ink, "none", 24);

/** A score that leaves no room for its month stands alone. */
function scoreValue({ last_calculated_at }: Scores, score: number, { ink, soft }: Colors): Safe {
  const text = hundredths(score);
  const month = last_calculated_at === null ? null : formatMonth(new Date(last_calculated_at));
  const monthWidth = month === null ? 0 : Math.round(month.length * 5.2);
  const width = Math.round(text.length * 5.9 * 10) / 10;
  const hasMonth = month !== null && VALUE_START + width + 3 + monthWidth <= END;
  const bold = html` font-weight="700"`;
  return html`${label(VALUE_START, 13, ink, text, Math.min(width, END - VALUE_START), bold)}${
    hasMonth && label(END, 13, soft, month, monthWidth, html` text-anchor="end"`)
  }
`;
}

function partLine({ activity_score, identity_score, skills_score }: Scores, fill: string): Safe[] {
  const parts = [activity_score, identity_score, skills_score];
  const sum = parts.reduce((total, part) => total + part, 0);
  if (sum === 0) return [];
  const room = END - VALUE_START - GAP * (parts.length - 1);
  let x = VALUE_START;
  return parts.map((part) => {
    const width = (part / sum) * room;
    const line = html`<rect x="${x.toFixed(1)}" y="16" width="${width.toFixed(1)}" height="2" fill="${fill}"/>`;
    x += width + GAP;
    return line;
  });
}

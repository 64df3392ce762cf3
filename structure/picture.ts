import { FEATURES, type Feature, words } from "./features.ts";

// Draws which features import which, from the table. An arrow that follows from two others is left out.

const byName = new Map(FEATURES.map((feature) => [feature.name, feature]));
const importsOf = (name: string): string[] =>
  words(byName.get(name)?.mayImport ?? "").filter((other) => byName.has(other));

/** Whether a feature reaches another through at least one between them. */
function reachesBeyond(from: string, to: string): boolean {
  const reaches = (name: string): boolean => name === to || importsOf(name).some(reaches);
  return importsOf(from).some((next) => next !== to && reaches(next));
}

const ARROWS = FEATURES.flatMap(({ name }) =>
  importsOf(name)
    .filter((to) => !reachesBeyond(name, to))
    .map((to) => ({ from: name, to })),
);

/** One more than the highest that it imports. */
const layerOf = (name: string): number => 1 + Math.max(0, ...importsOf(name).map(layerOf));
const LAYERS = Math.max(...FEATURES.map(({ name }) => layerOf(name)));

const [WIDTH, BOX_WIDTH, BOX_HEIGHT, LAYER_HEIGHT, MARGIN] = [860, 132, 34, 74, 16];
const FILLS: Readonly<Record<Feature["side"], string>> = { serve: "#dbeafe", manage: "#fef3c7", both: "#dcfce7" };

type Place = { x: number; y: number };

/** Boxes of a layer stand in the order of the average place of what they import. */
function placeBoxes(): Map<string, Place> {
  const places = new Map<string, Place>();
  for (let layer = 1; layer <= LAYERS; layer += 1) {
    const names = FEATURES.map(({ name }) => name).filter((name) => layerOf(name) === layer);
    const wish = (name: string): number => {
      const xs = importsOf(name).map((other) => places.get(other)?.x ?? 0);
      return xs.length === 0 ? WIDTH / 2 : xs.reduce((sum, x) => sum + x, 0) / xs.length;
    };
    const step = (WIDTH - 2 * MARGIN) / names.length;
    const y = MARGIN + BOX_HEIGHT + (LAYERS - layer) * LAYER_HEIGHT + LAYER_HEIGHT / 2;
    for (const [index, name] of names.toSorted((a, b) => wish(a) - wish(b)).entries()) {
      places.set(name, { x: MARGIN + step * (index + 0.5), y });
    }
  }
  return places;
}

const box = (x: number, y: number, width: number, fill: string, text: string): string =>
  `<rect x="${Math.round(x - width / 2)}" y="${Math.round(y)}" width="${Math.round(width)}" height="${BOX_HEIGHT}" rx="6" fill="${fill}" stroke="#475569"/>
<text x="${Math.round(x)}" y="${Math.round(y + BOX_HEIGHT / 2 + 5)}" text-anchor="middle">${text}</text>`;

export function drawFeatures(): string {
  const places = placeBoxes();
  const at = (name: string): Place => places.get(name) as Place;
  const arrows = ARROWS.map(({ from, to }) => {
    const [a, b] = [at(from), at(to)];
    const [y1, y2] = [a.y + BOX_HEIGHT, b.y - 3];
    // A long arrow first goes sideways, between two layers, and then down.
    const turn = y1 + LAYER_HEIGHT - BOX_HEIGHT - 6;
    return `<path d="M${Math.round(a.x)} ${y1} C${Math.round(a.x)} ${y1 + 24} ${Math.round(b.x)} ${y1 + 12} ${Math.round(b.x)} ${turn} V${y2}" marker-end="url(#head)"/>`;
  });
  const boxes = FEATURES.map(({ name, side }) => box(at(name).x, at(name).y, BOX_WIDTH, FILLS[side], name));
  const bottom = MARGIN + BOX_HEIGHT + LAYERS * LAYER_HEIGHT + LAYER_HEIGHT / 2;
  const bar = (y: number, text: string): string => box(WIDTH / 2, y, WIDTH - 2 * MARGIN, "#e2e8f0", text);
  const legend = Object.entries({
    serve: "runs in the server",
    manage: "runs in workers and commands",
    both: "has both sides",
  }).map(([side, text], index) => {
    const x = MARGIN + index * 270;
    const y = bottom + BOX_HEIGHT + MARGIN;
    return `<rect x="${x}" y="${y}" width="16" height="16" fill="${FILLS[side as Feature["side"]]}" stroke="#475569"/><text x="${x + 24}" y="${y + 13}">${text}</text>`;
  });
  const height = bottom + BOX_HEIGHT + 3 * MARGIN + 6;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="14" role="img" aria-label="The features of the service: each imports only those below it">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#475569"/></marker></defs>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<g fill="none" stroke="#94a3b8" stroke-width="1.3">
${arrows.join("\n")}
</g>
${bar(MARGIN, "app: the composition, imports all")}
${boxes.join("\n")}
${bar(bottom, "core: imported by all")}
${legend.join("\n")}
</svg>
`;
}

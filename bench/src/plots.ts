// Plots as SVG, with dark text on a white background.

const FONT = 'font-family="system-ui, sans-serif"';
const COLOURS = ["#1b6ca8", "#c1440e", "#3a7d44", "#7a4988"];

const text = (x: number, y: number, content: string, attributes = ""): string =>
  `<text x="${x}" y="${y}" font-size="13" fill="#222" ${FONT} ${attributes}>${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;

const svg = (width: number, height: number, title: string, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="20" y="30" font-size="17" font-weight="600" fill="#111" ${FONT}>${title}</text>`,
    ...parts,
    "</svg>\n",
  ].join("\n");

export type Bars = { name: string; bars: { name: string; value: number }[] };

/** Groups of bars on a logarithmic axis, with the value at each bar. */
export function plotBars(title: string, groups: readonly Bars[]): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const [left, width, bar, gap] = [150, 520, 18, 14];
  const [from, to] = [Math.floor(Math.log10(Math.min(...values))), Math.log10(Math.max(...values))];
  const x = (value: number) => left + (width * (Math.log10(value) - from)) / (to - from);
  const height = groups.reduce((sum, { bars }) => sum + bars.length * bar + gap, 0);
  let y = 76;
  const parts = groups.flatMap(({ name, bars }) => {
    const top = y;
    y += bars.length * bar + gap;
    return [
      text(20, top + (bars.length * bar) / 2 + 4, name),
      ...bars.map(({ value }, index) => {
        const [barY, barEnd] = [top + index * bar, x(value)];
        return [
          `<rect x="${left}" y="${barY}" width="${(barEnd - left).toFixed(1)}" height="${bar - 2}" fill="${COLOURS[index % COLOURS.length]}"/>`,
          text(barEnd + 6, barY + 13, Math.round(value).toLocaleString("en")),
        ].join("");
      }),
    ];
  });
  const legend = (groups[0]?.bars ?? []).map(({ name }, index) => {
    const legendX = left + index * 170;
    return `<rect x="${legendX}" y="46" width="14" height="14" fill="${COLOURS[index % COLOURS.length]}"/>${text(legendX + 20, 58, name)}`;
  });
  const note = text(left, 76 + height + 14, "logarithmic scale; shorter is better");
  return svg(left + width + 80, 76 + height + 30, title, [...legend, ...parts, note]);
}

export type Curve = { name: string; points: { people: number; value: number }[] };

/** A curve for each cost by number of people. Both axes are logarithmic. */
export function plotGrowth(title: string, unit: string, curves: readonly Curve[]): string {
  const points = curves.flatMap((curve) => curve.points);
  const people = points.map((point) => Math.log10(point.people));
  const values = points.map((point) => Math.log10(point.value));
  const [fromX, toX] = [Math.min(...people), Math.max(...people)];
  const [fromY, toY] = [Math.floor(Math.min(...values)), Math.ceil(Math.max(...values))];
  const [left, top, width, height] = [80, 70, 470, 280];
  const x = (log: number) => left + (width * (log - fromX)) / Math.max(1, toX - fromX);
  const y = (log: number) => top + height - (height * (log - fromY)) / Math.max(1, toY - fromY);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const grid = [
    ...range(fromY, toY).map((power) =>
      [
        `<line x1="${left}" x2="${left + width}" y1="${y(power)}" y2="${y(power)}" stroke="#ddd"/>`,
        text(left - 8, y(power) + 4, `${10 ** power}`, 'text-anchor="end"'),
      ].join(""),
    ),
    ...range(Math.ceil(fromX), Math.floor(toX)).map((power) =>
      text(x(power), top + height + 20, printPeople(10 ** power), 'text-anchor="middle"'),
    ),
    text(left + width / 2, top + height + 44, "people", 'text-anchor="middle"'),
    text(left + 4, top - 8, unit),
  ];
  const lines = curves.map((curve, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const line = curve.points.map((point) => `${x(Math.log10(point.people))},${y(Math.log10(point.value))}`).join(" ");
    const dots = curve.points.map(
      (point) =>
        `<circle cx="${x(Math.log10(point.people))}" cy="${y(Math.log10(point.value))}" r="4" fill="${colour}"/>`,
    );
    const legend = top + 16 + index * 24;
    return [
      `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      ...dots,
      `<rect x="${left + width + 24}" y="${legend - 10}" width="14" height="14" fill="${colour}"/>`,
      text(left + width + 44, legend + 2, curve.name),
    ].join("\n");
  });
  return svg(820, top + height + 62, title, [...grid, ...lines]);
}

export function printPeople(people: number): string {
  return people >= 1_000_000 ? `${people / 1_000_000} million` : people.toLocaleString("en");
}

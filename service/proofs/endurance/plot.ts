export type Series = { name: string; unit: string; values: readonly number[] };

const [PANEL, HEIGHT, LEFT, GAP] = [360, 110, 70, 60];
const COLUMNS = 2;

/** The highest values of a series are cut, so that one of them does not hide all others. */
const CUT_ABOVE = 0.98;

/** A panel per series over the time of the run. The vertical axis starts at 0, so that growth is not magnified. */
export function plotSeries(title: string, minutes: number, series: readonly Series[]): string {
  const rows = Math.ceil(series.length / COLUMNS);
  const [width, height] = [COLUMNS * (PANEL + LEFT) + 20, 40 + rows * (HEIGHT + GAP)];
  const label = (x: number, y: number, content: string, anchor = "start") =>
    `<text x="${x}" y="${y}" font-size="12" fill="#222" font-family="system-ui, sans-serif" text-anchor="${anchor}">${content}</text>`;
  const panels = series.map(({ name, unit, values }, at) => {
    const [left, top] = [LEFT + (at % COLUMNS) * (PANEL + LEFT), 50 + Math.floor(at / COLUMNS) * (HEIGHT + GAP)];
    const usual = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * CUT_ABOVE)];
    const max = 1.1 * (usual || 1);
    const points = values.map(
      (value, index) =>
        `${(left + (PANEL * index) / Math.max(1, values.length - 1)).toFixed(1)},${(top + HEIGHT * (1 - Math.min(1, value / max))).toFixed(1)}`,
    );
    return [
      label(left, top - 8, `${name}, ${unit}`),
      `<rect x="${left}" y="${top}" width="${PANEL}" height="${HEIGHT}" fill="none" stroke="#ccc"/>`,
      `<polyline points="${points.join(" ")}" fill="none" stroke="#1b6ca8" stroke-width="1.5"/>`,
      label(left - 6, top + 10, Number(max.toPrecision(2)).toLocaleString("en"), "end"),
      label(left - 6, top + HEIGHT, "0", "end"),
      label(left, top + HEIGHT + 16, "0"),
      label(left + PANEL, top + HEIGHT + 16, `${minutes} minutes`, "end"),
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

import type { TargetName } from "./driver/server.js";
import { titles } from "./report.js";
import type { Row } from "./results.js";

/** Targets of the chart; the floor is the line that they are measured by. */
const bars: readonly { readonly target: TargetName; readonly color: string }[] = [
  { target: "parley", color: "#0b7a75" },
  { target: "koa", color: "#9aa5b1" },
  { target: "sdk", color: "#d1603d" },
];

const BAR = 11;
const GAP = 16;
const LEFT = 270;
const WIDTH = 860;
const TOP = 74;
/** Space for the figure after the longest bar. */
const RIGHT = 60;
const LOWEST = 0.5;

/**
 * The ratios as a bar chart (SVG): one group of bars for each workload that is compared with the floor, on a logarithmic scale,
 * since some targets are hundreds of times above it.
 * @param note the machine, in one line
 */
export function chart(rows: readonly Row[], note: string): string {
  const shown = rows.filter(
    ({ unit, figures, pair }) => unit === undefined && figures.parley !== undefined && !pair,
  );
  const top = Math.max(
    10,
    ...shown.flatMap(({ figures }) => bars.map(({ target }) => figures[target]?.median ?? 1)),
  );
  const span = Math.log10(top / LOWEST);
  const x = (value: number) =>
    LEFT + (Math.log10(Math.max(value, LOWEST) / LOWEST) / span) * (WIDTH - LEFT - RIGHT);
  const group = bars.length * BAR + GAP;
  const height = TOP + shown.length * group + 34;
  const lines = [1, 10, 100, 1000].filter((value) => value <= top * 1.01);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>Costs as a multiple of bare node:http</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text({ x: 16, y: 26, size: 16, weight: 600 }, "Costs as a multiple of bare node:http (less is better)"),
    ...bars.map(({ target, color }, index) => {
      const at = 16 + index * 130;
      return `<rect x="${at}" y="40" width="11" height="11" fill="${color}"/>${text({ x: at + 17, y: 50 }, titles[target])}`;
    }),
    ...lines.map((value) => {
      const at = x(value).toFixed(1);
      return `<line x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${height - 32}" stroke="#d5dae0"/>${text({ x: x(value) - 4, y: TOP - 12, fill: "#5b6670" }, `${value}`)}`;
    }),
    ...shown.map((row, index) => bundle(row, TOP + index * group, x)),
    text({ x: 16, y: height - 12, size: 11, fill: "#5b6670" }, note),
    "</svg>",
    "",
  ].join("\n");
}

/** The bars of one workload. */
function bundle({ workload, label, figures }: Row, y: number, x: (value: number) => number): string {
  const title = text({ x: 16, y: y + BAR + 5 }, workload);
  const under = text({ x: 16, y: y + 2 * BAR + 8, size: 11, fill: "#5b6670" }, label);
  const drawn = bars.map(({ target, color }, index) => {
    const figure = figures[target];
    if (figure === undefined) return "";
    const at = y + index * BAR;
    const from = Math.min(x(1), x(figure.median));
    const width = Math.max(1.5, Math.abs(x(figure.median) - x(1)));
    const value = text(
      { x: Math.max(x(1), x(figure.median)) + 5, y: at + 9, size: 10 },
      short(figure.median),
    );
    return `<rect x="${from.toFixed(1)}" y="${at}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${color}"/>${value}`;
  });
  return [title, under, ...drawn].join("");
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Where a text stands, and how. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly weight?: number;
  readonly fill?: string;
}

function text({ x, y, size = 12, weight = 400, fill = "#1f2933" }: Place, words: string): string {
  const escaped = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped}</text>`;
}

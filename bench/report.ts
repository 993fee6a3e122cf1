import { type TargetName, targetNames } from "./driver/server.js";
import { type Figure, isMet, type Row } from "./results.js";

/** Names of targets in results. */
export const titles: Readonly<Record<TargetName, string>> = {
  "node-http": "node:http",
  koa: "Koa",
  sdk: "@a2a-js/sdk",
  parley: "Parley",
  express: "Express",
  fastify: "Fastify",
  hono: "Hono",
  next: "Next.js",
  "parley-fetch": "Parley, fetch",
  "parley-node": "Parley in node:http",
  "parley-express": "Parley in Express",
  "parley-fastify": "Parley in Fastify",
  "parley-hono": "Parley in Hono",
  "parley-koa": "Parley in Koa",
  "parley-next": "Parley in Next.js",
  "connect-node": "connect-node",
  "sdk-grpc": "@a2a-js/sdk (grpc-js)",
  "parley-grpc": "Parley",
  "parley-stored": "Parley with a durable store",
};

/** The comparisons of two targets as a table in Markdown: the cost of Parley on each host, as a multiple of that of the other target. */
export function hostsTable(rows: readonly Row[]): string {
  const body = rows.map((row) => {
    const { of = "parley", by = "node-http" } = row.pair ?? {};
    const measuredBy = by === "parley" ? "Parley, served with `serve`" : `a JSON route of ${titles[by]}`;
    return [row.workload, row.label, measuredBy, show(row.figures[of], row.unit), goalOf(row), verdict(row)];
  });
  return grid(["Host", "", "Measured by", "Parley", "Goal", ""], body);
}

/** The gRPC binding beside a server of Connect alone and the published SDK, as a table in Markdown. */
export function grpcTable(rows: readonly Row[]): string {
  const targets = ["connect-node", "sdk-grpc", "parley-grpc"] as const;
  const head = ["Workload", "", ...targets.map((name) => titles[name]), "Goal", ""];
  const body = rows.map((row) => [
    row.workload,
    row.label,
    ...targets.map((name) => show(row.figures[name], row.unit)),
    goalOf(row),
    verdict(row),
  ]);
  return grid(head, body);
}

/** The results as a table in Markdown. */
export function table(rows: readonly Row[]): string {
  const head = ["Workload", "", ...targetNames.map((name) => titles[name]), "Goal", ""];
  const body = rows.map((row) => [
    row.workload,
    row.label,
    ...targetNames.map((name) => show(row.figures[name], row.unit)),
    goalOf(row),
    verdict(row),
  ]);
  return grid(head, body);
}

/** A table in Markdown with aligned columns. */
export function grid(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...body].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function show(figure: Figure | undefined, unit: string | undefined): string {
  if (figure === undefined) return "–";
  const { median, low, high } = figure;
  const text = digits(median);
  const spread = low === high ? "" : ` (${digits(low)}–${digits(high)})`;
  return unit === undefined || unit === "" ? text + spread : `${text} ${unit}${spread}`;
}

function digits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
}

function goalOf({ goal, atLeast, aboveFloor, pair }: Row): string {
  if (goal === undefined) return "";
  const from = aboveFloor ? `${titles[pair?.by ?? targetNames[0]]} + ` : "";
  return `${atLeast ? "≥" : "≤"} ${from}${goal}`;
}

function verdict(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "" : met ? "met" : "missed";
}

import { citedBy, type RanTest } from "./citations.js";
import { groupOf, type Requirement } from "./register.js";

/** What is known of one requirement. */
export interface Coverage {
  readonly id: string;
  readonly level: Requirement["level"];
  readonly who: Requirement["who"];
  /** `covered`: a passing test cites it; `listed`: left out on purpose; `missing`: neither. */
  readonly status: "covered" | "listed" | "missing";
  /** The passing tests that cite it, as `path > name`. */
  readonly tests: string[];
  /** Why no test covers it, if it is listed. */
  readonly reason: string | null;
}

/** The coverage of every row, and what is wrong with citations and with the list of rows left out. */
export interface Report {
  readonly rows: Coverage[];
  readonly problems: string[];
}

/** Joins the register, the list of rows left out and the tests of a run. */
export function report(
  register: readonly Requirement[],
  listed: Readonly<Record<string, string>>,
  tests: readonly RanTest[],
): Report {
  const known = new Set(register.map((row) => row.id));
  const problems: string[] = [];
  const citing = new Map<string, string[]>();
  for (const test of tests) {
    const label = `${test.file} > ${test.name}`;
    const { ids, problem } = citedBy(test.name, known);
    if (problem !== undefined) problems.push(`${label}: ${problem}`);
    if (test.status !== "pass") continue;
    for (const id of ids) citing.set(id, [...(citing.get(id) ?? []), label]);
  }
  for (const [id, reason] of Object.entries(listed)) {
    if (!known.has(id)) problems.push(`listed.json: ${id} is not in the register`);
    if (reason.trim() === "") problems.push(`listed.json: ${id} has no reason`);
    if (citing.has(id)) problems.push(`listed.json: ${id} is covered by a test and need not be listed`);
  }
  const rows = register.map(({ id, level, who }): Coverage => {
    const cited = citing.get(id) ?? [];
    const reason = listed[id] ?? null;
    const status = cited.length > 0 ? "covered" : reason !== null ? "listed" : "missing";
    return { id, level, who, status, tests: cited, reason };
  });
  return { rows, problems };
}

/**
 * One line for each row that is missing. A row that a skipped test cites is not named: its test needs something that this machine lacks, such
 * as PostgreSQL.
 */
export function uncovered(rows: readonly Coverage[], tests: readonly RanTest[]): string[] {
  const known = new Set(rows.map((row) => row.id));
  const skipped = new Set(
    tests.filter(({ status }) => status === "skip").flatMap(({ name }) => citedBy(name, known).ids),
  );
  return rows
    .filter(({ id, status }) => status === "missing" && !skipped.has(id))
    .map(({ id }) => `${id}: no passing test cites it, and listed.json does not say why`);
}

/** One line of counts: `label  covered  listed  missing  total`. */
function counts(label: string, rows: readonly Coverage[]): string {
  const having = (status: Coverage["status"]): number => rows.filter((row) => row.status === status).length;
  const numbers = [having("covered"), having("listed"), having("missing"), rows.length];
  return label.padEnd(12) + numbers.map((number) => String(number).padStart(9)).join("");
}

/** Distinct values in order of first appearance. */
function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** The report for people: counts by level and by group, then the rows that are missing when asked for. */
export function print(rows: readonly Coverage[], showMissing: boolean): string {
  const head = `${"".padEnd(12)}${["covered", "listed", "missing", "all"].map((word) => word.padStart(9)).join("")}`;
  const levels = distinct(rows.map((row) => row.level));
  const groups = distinct(rows.map((row) => groupOf(row.id)));
  const missing = rows.filter((row) => row.status === "missing");
  return [
    head,
    ...levels.map((level) =>
      counts(
        level,
        rows.filter((row) => row.level === level),
      ),
    ),
    "",
    ...groups.map((group) =>
      counts(
        group,
        rows.filter((row) => groupOf(row.id) === group),
      ),
    ),
    "",
    counts("all", rows),
    ...(showMissing ? ["", ...missing.map((row) => `${row.id.padEnd(12)} ${row.level} ${row.who}`)] : []),
    "",
  ].join("\n");
}

import { type Additions, additionsOf } from "../additions.js";
import type { Spec } from "../spec-model.js";
import type { FileChanges } from "./file-changes.js";

const kinds = ["requestMembers", "responseMembers", "errors", "operations"] as const;
type Kind = (typeof kinds)[number];

/** Words for a kind in a report. */
const words: Readonly<Record<Kind, string>> = {
  requestMembers: "request member",
  responseMembers: "response member",
  errors: "error",
  operations: "operation",
};

/** The table of decisions of a version, relative to the root of the repository. */
export function decisionsFile(version: string): string {
  return `src/versions/v${version}/decisions.ts`;
}

/**
 * Adds a row for each addition of a version to its table of decisions, as undecided. Existing rows do not change.
 * @returns the undecided rows, for the report
 */
export async function writeDecisions(
  changes: FileChanges,
  spec: Spec,
  before: Spec | undefined,
): Promise<string[]> {
  const additions = additionsOf(spec, before);
  const version = spec.protocolVersion;
  const path = decisionsFile(version);
  const present = await changes.read(path);
  const text = kinds.reduce(
    (table, kind) => withRows(table, kind, additions),
    present ?? emptyTable(version),
  );
  changes.write(path, text);
  return kinds.flatMap((kind) =>
    additions[kind]
      .filter((name) => rowOf(name, kind, text).includes("undecided"))
      .map((name) => `${words[kind]} ${name}${levelOf(additions, name)}`),
  );
}

function levelOf({ levels = {} }: Additions, name: string): string {
  return levels[name] === undefined ? "" : ` (${levels[name]} by the text)`;
}

function emptyTable(version: string): string {
  return `import type { additions } from "../../../generated/v${version}/additions.js";
import { type DecisionsOn, undecided } from "../decisions.js";

/** The decisions about the additions of protocol ${version}. */
export const decisions = {
${kinds.map((kind) => `  ${kind}: {},\n`).join("")}} as const satisfies DecisionsOn<typeof additions>;
`;
}

/** Appends the rows that a group lacks. */
function withRows(text: string, kind: Kind, additions: Additions): string {
  const missing = additions[kind].filter((name) => rowOf(name, kind, text) === "");
  if (missing.length === 0) return text;
  const rows = missing.map((name) => `    ${keyOf(name)}: undecided,\n`).join("");
  const imported = text.includes("undecided")
    ? text
    : text.replace(/ \} from "\.\.\/decisions/, ', undecided } from "../decisions');
  return imported
    .replace(`  ${kind}: {},\n`, `  ${kind}: {\n  },\n`)
    .replace(
      new RegExp(`(  ${kind}: \\{\\n(?:    .*\\n)*)(  \\},\\n)`),
      (_, head, end) => `${head}${rows}${end}`,
    );
}

/** The line on which the row of a name begins; empty when the group has none. */
function rowOf(name: string, kind: Kind, text: string): string {
  const [, group = ""] = new RegExp(`  ${kind}: \\{\\n((?:    .*\\n)*)  \\},\\n`).exec(text) ?? [];
  return group.split("\n").find((line) => line.startsWith(`    ${keyOf(name)}: `)) ?? "";
}

/** A name as the key of an object, quoted only where it must be. */
function keyOf(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

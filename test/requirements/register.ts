import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A row of `docs/requirements.md`: the rule's id, how strongly it binds, whom it binds, and its section in the specification. */
export interface Requirement {
  /** Group and number, such as `OP-SEND-04`. */
  readonly id: string;
  readonly level: "MUST" | "SHOULD" | "MAY" | "AMBIGUOUS";
  readonly who: "server" | "client" | "both";
  readonly section: string;
}

/** A row begins with its id in a cell of its own; the statement may contain escaped bars. */
const row =
  /^\| ([A-Z]+(?:-[A-Z]+)*-\d\d) \| (MUST|SHOULD|MAY|AMBIGUOUS) \| (server|client|both) \| .+ \| ([^|]+) \|$/gm;

/** Reads the rows of a page of requirements, in its order. */
export function parseRegister(page: string): Requirement[] {
  return Array.from(
    page.matchAll(row),
    ([, id, level, who, section]) => ({ id, level, who, section }) as Requirement,
  );
}

/** The page that has the text of every row. */
export const registerPage = fileURLToPath(new URL("../../docs/requirements.md", import.meta.url));

/** All rows, in the order of the page. */
export const register: readonly Requirement[] = parseRegister(readFileSync(registerPage, "utf8"));

/** The rows that no test covers on purpose, and why. */
export const listed: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL("listed.json", import.meta.url), "utf8"),
);

/** The group of an id: `OP-SEND` of `OP-SEND-04`. */
export function groupOf(id: string): string {
  return id.slice(0, id.lastIndexOf("-"));
}

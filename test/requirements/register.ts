import { readFileSync } from "node:fs";

/** A row of the requirements register: which rule, how binding, whom it binds, where the specification has it. */
export interface Requirement {
  /** Group and number, like `OP-SEND-04`. */
  readonly id: string;
  readonly level: "MUST" | "SHOULD" | "MAY" | "AMBIGUOUS";
  readonly who: "server" | "client" | "both";
  readonly section: string;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}

/** All rows, in the order of the register. */
export const register = readJson("register.json") as readonly Requirement[];

/** The rows that no test covers on purpose, and why. */
export const listed = readJson("listed.json") as Readonly<Record<string, string>>;

/** The group of an id: `OP-SEND` of `OP-SEND-04`. */
export function groupOf(id: string): string {
  return id.slice(0, id.lastIndexOf("-"));
}

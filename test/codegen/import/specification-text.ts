import { readSchema } from "../../schema/read-contract.js";

const schema = readSchema("1.0");
const rows: readonly any[] = schema.operations.operations;
const errors: readonly any[] = schema.operations.errors;

/** A sentence of the made-up specification, and the section that it stands in. */
interface Sentence {
  readonly section: string;
  readonly text: string;
}

/** What the made-up specification of 1.0 obliges to, in the words of these tests. */
export const sentences: readonly Sentence[] = [
  { section: "3.1.1. Send Message", text: "The answer to a message **MUST** be a task or a message." },
  { section: "3.1.1. Send Message", text: "An agent SHOULD answer within the time that its card states." },
  { section: "3.1.3. Get Task", text: "A server MUST NOT tell that a task of another caller exists." },
  { section: "3.3.2. Errors", text: "Every error of the table MUST have the code that it names." },
  {
    section: "3.3.2. Errors",
    text: "A message for people SHOULD say what the caller can do. It MAY be empty.",
  },
  { section: "7.4. Transport", text: "Connections in production MUST be encrypted." },
];

/** The tables of the specification, as rows of cells. */
export interface Tables {
  readonly errors: string[][];
  readonly methods: string[][];
}

/** The tables of 1.0, afresh. */
export function tables(): Tables {
  return {
    errors: errors
      .filter(({ kind }) => kind === "protocol")
      .map(({ name, jsonRpcCode, httpStatus, status, code }) => [
        `\`${name}\``,
        `\`${jsonRpcCode}\``,
        `\`${status}\``,
        `\`${httpStatus} Words\``,
        `\`${code}\``,
      ]),
    methods: rows.map(({ name, method, http }) => [
      name,
      `\`${method}\``,
      `\`${name}\``,
      http
        .filter(({ path }: { path: string }) => !path.startsWith("/{tenant}"))
        .map(({ verb, path }: { verb: string; path: string }) => `\`${verb} ${path}\``)
        .join("<br>"),
    ]),
  };
}

/** A page in the manner of the official specification, with prose of its own. */
export function specificationText(made: Tables = tables(), prose: readonly Sentence[] = sentences): string {
  const sections = [...new Set(prose.map(({ section }) => section))].map((section) => {
    const texts = prose.filter((sentence) => sentence.section === section).map(({ text }) => `- ${text}`);
    return `### ${section} {#${section.split(" ")[0]}}\n\n<!-- A remark that MUST be passed over. -->\n\n${texts.join("\n")}\n`;
  });
  return [
    "# A made-up specification",
    "",
    "See [section 3](#3) of it. Nothing here obliges.",
    "",
    ...sections,
    "```json",
    '{ "comment": "Code MUST be passed over." }',
    "```",
    "",
    "### 5.3. Methods",
    "",
    table(["Functionality", "JSON-RPC Method", "gRPC Method", "REST Endpoint"], made.methods),
    "### 5.4. Error Code Mappings",
    "",
    table(["A2A Error Type", "JSON-RPC Code", "gRPC Status", "HTTP Status", "Reason"], made.errors),
  ].join("\n");
}

function table(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  return `${[line(head), line(head.map(() => ":---")), ...cells.map(line)].join("\n")}\n`;
}

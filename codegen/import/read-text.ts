import { camelCase } from "./camel-case.js";
import type { Route } from "./contract.js";
import { type Block, markdownBlocks } from "./markdown-blocks.js";
import { ImportError, type OfficialError } from "./official.js";
import { type Rule, rulesIn } from "./rules.js";

/** A method as the text of the specification has it. */
export interface TextMethod {
  /** JSON-RPC method. */
  readonly method: string;
  /** Its routes; undefined where the table has no column for them. */
  readonly routes: readonly Route[] | undefined;
}

/** What the text of the specification says that an import reads. */
export interface SpecificationText {
  readonly errors: readonly OfficialError[];
  readonly methods: readonly TextMethod[];
  /** Sentences with MUST, SHOULD or MAY. */
  readonly rules: readonly Rule[];
}

/** Files that are given in place of the text. */
const others: readonly (readonly [form: RegExp, what: string])[] = [
  [/^\s*$/, "the file is empty"],
  [/^\s*(?:syntax|edition)\s*=\s*["']/m, "a protocol definition"],
  [/^\s*[{[]\s*["{\]}]/, "JSON"],
  [/^\s*<(?:!doctype|html|\?xml)/i, "a web page"],
];

type Table = Extract<Block, { readonly kind: "table" }>;

/**
 * Reads the specification as Markdown: the tables of errors and of methods, wherever they stand, and the sentences that oblige. Tables are
 * told by their columns: one with JSON-RPC codes beside names that end in `Error`, one with JSON-RPC methods.
 * @throws ImportError when it has none of these, or contradicts itself
 */
export function readText(page: string): SpecificationText {
  const other = others.find(([form]) => form.test(page))?.[1];
  if (other !== undefined) throw new ImportError(`${other}; what is read is the specification as Markdown`);
  const blocks = markdownBlocks(page);
  const tables = blocks.filter((block) => block.kind === "table");
  const problems: string[] = [];
  const errors = unite(tables.flatMap(errorsIn), problems);
  const methods = tables.flatMap(methodsIn);
  const rules = blocks.flatMap((block) =>
    (block.kind === "prose" ? [block.text] : block.rows.map((row) => row.join(". "))).flatMap((text) =>
      rulesIn(text, block.section),
    ),
  );
  if (problems.length > 0) throw new ImportError(problems.join("\n"));
  if (errors.length === 0 && methods.length === 0 && rules.length === 0) {
    throw new ImportError(
      "the text has no table of errors or methods and no sentence with MUST or SHOULD; what is read is the specification as Markdown",
    );
  }
  return { errors, methods, rules };
}

function columnOf({ head }: Table, ...patterns: readonly RegExp[]): number {
  for (const pattern of patterns) {
    const at = head.findIndex((title) => pattern.test(title));
    if (at >= 0) return at;
  }
  return -1;
}

function errorsIn(table: Table): OfficialError[] {
  const columns = {
    code: columnOf(table, /json-?rpc.*code/i, /json-?rpc/i, /^(?:error )?code$/i),
    http: columnOf(table, /http.*(?:status|code)/i, /^http$/i),
    status: columnOf(table, /grpc/i),
    reason: columnOf(table, /reason/i),
  };
  return table.rows.flatMap((row): OfficialError[] => {
    const at = (column: number) => (row[column] ?? "").replaceAll("`", "").trim();
    const name = row
      .map((cell) => cell.replaceAll("`", "").trim())
      .find((cell) => /^[A-Z]\w*Error$/.test(cell));
    const code = /-32\d{3}/.exec(at(columns.code))?.[0];
    if (name === undefined || code === undefined) return [];
    const http = /\b[45]\d\d\b/.exec(at(columns.http))?.[0];
    const status = /\b[A-Z][A-Z_]+\b/.exec(at(columns.status))?.[0];
    const reason = /\b[A-Z][A-Z0-9_]+\b/.exec(at(columns.reason))?.[0];
    return [
      {
        name,
        jsonRpcCode: Number(code),
        message: undefined,
        ...(http !== undefined && { httpStatus: Number(http) }),
        ...(status !== undefined && { status }),
        ...(reason !== undefined && { reason }),
      },
    ];
  });
}

/** One entry for each error: several tables may each tell a part of it. */
function unite(errors: readonly OfficialError[], problems: string[]): OfficialError[] {
  const known = new Map<string, OfficialError>();
  for (const error of errors) {
    const before = known.get(error.name);
    for (const key of ["jsonRpcCode", "httpStatus", "status", "reason"] as const) {
      const [was, is] = [before?.[key], error[key]];
      if (was !== undefined && is !== undefined && was !== is)
        problems.push(`the text contradicts itself: ${error.name} has ${was} and ${is}`);
    }
    known.set(error.name, { ...before, ...error });
  }
  return [...known.values()];
}

function methodsIn(table: Table): TextMethod[] {
  const method = columnOf(table, /json-?rpc.*method/i, /^(?:rpc )?method$/i);
  const routes = columnOf(table, /rest|http|endpoint|route/i);
  if (method < 0 || /code/i.test(table.head[method] ?? "")) return [];
  return table.rows.flatMap((row): TextMethod[] => {
    const name = /^`?([A-Za-z][\w/]*)`?$/.exec(row[method] ?? "")?.[1];
    if (name === undefined) return [];
    return [{ method: name, routes: routes < 0 ? undefined : routesIn(row[routes] ?? "") }];
  });
}

/** `POST /message:send`, once or several times; a variable may be written as in the definition, `{task_id=*}`. */
function routesIn(cell: string): Route[] {
  return [...cell.matchAll(/\b(GET|POST|PUT|PATCH|DELETE)\s+`?(\/[^\s`,;]*)/g)].map(
    ([, verb = "", path = ""]) => ({
      verb,
      path: path.replace(/\{(\w+)(?:=\*)?\}/g, (_, name: string) => `{${camelCase(name)}}`),
    }),
  );
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Statement, VariableStatement } from "typescript";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";

/** A TypeScript block of a page, as a module of its own. */
export interface CodeBlock {
  /** The word after `ts` where the block begins, or the block's number on the page, counted from 1. */
  readonly name: string;
  /** Where its module is written. */
  readonly path: string;
}

/** The TypeScript blocks of a page, each written to a file from which it can be compiled and imported. */
export function codeBlocks(page: string): CodeBlock[] {
  const text = readFileSync(join(root, page), "utf8");
  const folder = join(root, ".cache", "docs", basename(page, ".md").toLowerCase());
  mkdirSync(folder, { recursive: true });
  return [...text.matchAll(/^```ts(?: (\S+))?\n(.*?)^```$/gms)].map(([, name, code = ""], index) => {
    const block = { name: name ?? String(index + 1), path: join(folder, `${name ?? index + 1}.ts`) };
    writeFileSync(block.path, runnable(code));
    return block;
  });
}

/** Runs a block and gives everything that it declares. */
export async function run({ path }: CodeBlock): Promise<Record<string, unknown>> {
  return import(pathToFileURL(path).href);
}

/** Names without a use: an `@example` may show a declaration alone. */
const unused: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198]);

/** What the compiler has to say about blocks under the rules of this repository: one line for each fault. */
export function compile(blocks: readonly CodeBlock[]): string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  // A fifth of the time goes into comments.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const paths = blocks.map(({ path }) => path);
  const program = ts.createProgram(paths, options, host);
  return blocks.flatMap(({ name, path }) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found
      .filter(({ code }) => !(path.includes("hover") && unused.has(code)))
      .map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  });
}

/** What `parley codegen` wrote for the example, as seen from where blocks are written. */
const GENERATED = '"../../../examples/typed-skills/generated/';

/**
 * The code with any free port in place of a fixed one, the generated code of the example in place of the reader's, an extension for the
 * import that Next.js resolves without one, and with everything that it declares exported.
 */
function runnable(code: string): string {
  const source = ts.createSourceFile("block.ts", code, ts.ScriptTarget.ES2022, true);
  const names = declaredBy(source.statements);
  const placed = code
    .replace(/\bport: \d+/g, "port: 0")
    .replaceAll('"./generated/', GENERATED)
    .replace('"./agent";', '"./agent.js";');
  return `${placed}\nexport { ${names.join(", ")} };\n`;
}

/** Names that statements declare and do not export. */
export function declaredBy(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement) => {
    if (ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.length) return [];
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      return statement.name?.text ?? [];
    return ts.isVariableStatement(statement) ? declared(statement) : [];
  });
}

function declared({ declarationList }: VariableStatement): string[] {
  return declarationList.declarations.flatMap(({ name }) =>
    ts.isIdentifier(name)
      ? name.text
      : name.elements.flatMap((element) =>
          ts.isBindingElement(element) && ts.isIdentifier(element.name) ? element.name.text : [],
        ),
  );
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "typescript";
import { type Exports, entryPoints, exportedNames } from "../invariants/entry-points.js";
import { parse, readTree, type SourceFile } from "../invariants/source-file.js";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";
import { type CodeBlock, declaredBy } from "./code-blocks.js";
import { given, sections } from "./hover-names.js";

/** An `@example` of a doc comment. */
interface Example {
  readonly code: string;
  /** What the comment documents: `connect`, or `AgentDefinition.execute`. */
  readonly owner: string;
  readonly path: string;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Exports };

/** The examples of all doc comments in `src/`, each written to a module that declares what the reader is assumed to have. */
export function hoverExamples(): CodeBlock[] {
  const folder = join(root, ".cache", "docs", "hover");
  mkdirSync(folder, { recursive: true });
  const files = readTree("src");
  const imports = publicImports(files);
  return files.flatMap(examplesOf).map((example, index) => {
    const path = join(folder, `${index + 1}.ts`);
    writeFileSync(path, moduleOf(example, withOwner(example, imports)));
    return { name: `${example.path}, ${example.owner}`, path };
  });
}

/** The import of each public name, from the first entry point in package.json that has it. */
function publicImports(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [subpath, path] of entryPoints(exports)) {
    const file = files.find((one) => one.path === path);
    for (const name of file === undefined ? [] : exportedNames(file)) {
      const bare = name.replace("type ", "");
      const text = `import { ${name} } from "a2a-parley${subpath.slice(1)}";`;
      if (!found.has(bare)) found.set(bare, text);
    }
  }
  return found;
}

/** The imports, and that of the documented name itself where it is not public. */
function withOwner(
  { owner, path }: Example,
  imports: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const [name = ""] = owner.split(".");
  const source = `../../../${path.replace(/\.ts$/, ".js")}`;
  return imports.has(name) ? imports : new Map([...imports, [name, `import { ${name} } from "${source}";`]]);
}

function examplesOf(file: SourceFile): Example[] {
  if (!file.text.includes("@example")) return [];
  const found: Example[] = [];
  const visit = (node: Node, owner: string): void => {
    const own = (node as { name?: { text?: string } }).name?.text;
    const isInner = ts.isVariableStatement(node) || ts.isVariableDeclarationList(node);
    const [declared] = ts.isVariableStatement(node) ? node.declarationList.declarations : [];
    const name = declared?.name.getText() ?? own ?? "";
    const path = [owner, name].filter((part) => part !== "").join(".");
    for (const comment of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc))
      for (const tag of comment.tags ?? [])
        if (tag.tagName.text === "example" && comment.parent === node)
          found.push({
            code: codeIn(ts.getTextOfJSDocComment(tag.comment) ?? ""),
            owner: path,
            path: file.path,
          });
    ts.forEachChild(node, (child) => visit(child, isInner ? owner : path));
  };
  for (const statement of parse(file).statements) visit(statement, "");
  return found;
}

/** The code of a fenced block, or of one line in backticks. */
function codeIn(text: string): string {
  return (/```ts\n([\s\S]*?)```/.exec(text) ?? /`([^`]+)`/.exec(text))?.[1]?.trim() ?? text;
}

/** A method, or a member with its value. */
const MEMBER = /^(?:async )?\*?\w+(?:\(.*\) \{|:)/;

/** Members are placed in an object of their type; statements in a function that may yield and wait. */
function moduleOf({ code, owner }: Example, imports: ReadonlyMap<string, string>): string {
  if (/^import /m.test(code)) return withGiven(code, imports);
  const [type = "", member] = owner.split(".");
  if (MEMBER.test(code)) {
    const members = `{\n${code}\n}`;
    return withGiven(`export const example: Partial<${sections[type] ?? type}> = ${members};`, imports);
  }
  if (code.startsWith("{"))
    return withGiven(`export const example: ${type}[${JSON.stringify(member)}] = ${code};`, imports);
  const own = declaredBy(ts.createSourceFile("example.ts", code, ts.ScriptTarget.ES2022, true).statements);
  const body = `${code}\nreturn { ${own.join(", ")} };`;
  return withGiven(`export async function* example(): AsyncGenerator<any, any, any> {\n${body}\n}`, imports);
}

/** The code, after the imports and declarations of the names that it uses and does not declare. */
function withGiven(code: string, imports: ReadonlyMap<string, string>): string {
  const names = usedIn(code);
  const lines = [...names].flatMap((name) => given[name] ?? imports.get(name) ?? []);
  return `${lines.join("\n")}\n${code}\n`;
}

/** Names of values and types that the code uses, without members and without those that it declares. */
function usedIn(code: string): ReadonlySet<string> {
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: Node): void => {
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      const isName = (parent as { name?: Node }).name === node;
      const isMember =
        ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent) || ts.isTypeElement(parent);
      if (!isName || ts.isShorthandPropertyAssignment(parent)) used.add(node.text);
      else if (!isMember && !ts.isMethodDeclaration(parent)) declared.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("example.ts", code, ts.ScriptTarget.ES2022, true));
  return new Set([...used].filter((name) => !declared.has(name)));
}

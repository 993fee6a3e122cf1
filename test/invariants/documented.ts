import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { ExportDeclaration, Node, Statement } from "typescript";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";
import { parse, type SourceFile } from "./source-file.js";

/** Reads a file of the tree by its path; undefined if there is none. */
export type ReadSource = (path: string) => SourceFile | undefined;

const read = new Map<string, SourceFile | undefined>();

/** Reads from the repository, each file once. */
export const fromRepository: ReadSource = (path) => {
  if (!read.has(path)) {
    const place = join(root, path);
    read.set(path, existsSync(place) ? { path, text: readFileSync(place, "utf8") } : undefined);
  }
  return read.get(path);
};

/** Names that an entry point exports without a doc comment at their declaration, with the file that declares them. */
export function undocumented(entry: SourceFile, source: ReadSource): string[] {
  return parse(entry)
    .statements.filter(ts.isExportDeclaration)
    .flatMap((statement) =>
      namesIn(statement).flatMap(([name]) => {
        const found = declarations(entry, name, source);
        const [first] = found;
        if (first === undefined) return [`${name}: no declaration found from ${entry.path}`];
        if (found.some(isDocumented)) return [];
        return [`${name}: ${first.getSourceFile().fileName} has no doc comment on it`];
      }),
    );
}

/** Outer and inner name of everything in a list of exports. */
function namesIn({ exportClause }: ExportDeclaration): (readonly [outer: string, inner: string])[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name, propertyName }) => [name.text, (propertyName ?? name).text]);
}

/** Where an exported name of a file is declared, through any number of re-exports; several nodes for an overloaded function. */
function declarations(file: SourceFile, name: string, source: ReadSource): readonly Node[] {
  const { statements } = parse(file);
  const own = statements.filter((statement) => declares(statement, name));
  if (own.length > 0) return own;
  for (const statement of statements) {
    const found = from(file, statement, name);
    const target = found && (source(found.path) ?? source(found.path.replace(/ts$/, "d.ts")));
    const nodes = target ? declarations(target, found.name, source) : [];
    if (nodes.length > 0) return nodes;
  }
  return [];
}

function declares(statement: Statement, name: string): boolean {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) return false;
  return (statement as { name?: { text?: string } }).name?.text === name;
}

/** The file and the name under which a statement imports or re-exports a name. */
function from(file: SourceFile, statement: Statement, name: string) {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  const { moduleSpecifier } = statement;
  if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return undefined;
  const path = posix.join(posix.dirname(file.path), moduleSpecifier.text).replace(/\.js$/, ".ts");
  if (ts.isExportDeclaration(statement)) {
    if (statement.exportClause === undefined) return { path, name };
    const inner = namesIn(statement).find(([outer]) => outer === name)?.[1];
    return inner === undefined ? undefined : { path, name: inner };
  }
  const bindings = statement.importClause?.namedBindings;
  const element = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  const found = element.find((one) => one.name.text === name);
  return found && { path, name: (found.propertyName ?? found.name).text };
}

function isDocumented(node: Node): boolean {
  return ts.getJSDocCommentsAndTags(node).some((comment) => ts.isJSDoc(comment) && Boolean(comment.comment));
}

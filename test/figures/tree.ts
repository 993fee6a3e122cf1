import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "typescript";
import { exportedNames } from "../invariants/entry-points.js";
import { importsOf, parse, readTree, type SourceFile } from "../invariants/source-file.js";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";

/** A small file, in lines. */
const SMALL = 30;

/** Counts what the files of the repository show without running them; shares are from 0 to 1. */
export function measureTree() {
  const files = readTree("src");
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { target = "" } of importsOf(file, files)) {
      importers.set(target, (importers.get(target) ?? new Set()).add(file.path));
    }
  }
  const lines = files.map(({ text }) => linesIn(text)).sort((one, other) => one - other);
  return {
    files: files.length,
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    oneImporter: files.filter(({ path }) => importers.get(path)?.size === 1).length / files.length,
    small: lines.filter((count) => count < SMALL).length / files.length,
    codeLines: files.reduce((sum, file) => sum + codeLinesOf(file), 0),
    rootFiles: files.filter(({ path }) => path.split("/").length === 2).length,
    rootNames: namesBesidesModel(files).length,
    toolLines: tools().reduce((sum, path) => sum + linesIn(readFileSync(join(root, path), "utf8")), 0),
  };
}

/** The names that `src/index.ts` exports from anywhere but the model, which holds the protocol's own types. */
function namesBesidesModel(files: readonly SourceFile[]): string[] {
  const index = files.find(({ path }) => path === "src/index.ts");
  const model = files.find(({ path }) => path === "src/protocol/model.ts");
  if (index === undefined || model === undefined) throw new Error("src/index.ts or the model has moved");
  const types = new Set(exportedNames(model));
  return exportedNames(index).filter((name) => !types.has(name));
}

/** Lines with at least one token of code; a template that spans lines counts with all of them. */
export function codeLinesOf(file: SourceFile): number {
  const source = parse(file);
  const lines = new Set<number>();
  const visit = (node: Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0 || node.getEnd() === node.getStart(source)) return;
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = source.getLineAndCharacterOfPosition(node.getStart(source)).line; line <= last; line += 1)
      lines.add(line);
  };
  visit(source);
  return lines.size;
}

function tools(): string[] {
  const scripts = readdirSync(join(root, ".ci")).map((name) => `.ci/${name}`);
  return [...scripts, ...readdirSync(root).filter((name) => /\.config\.\w+$/.test(name))];
}

function linesIn(text: string): number {
  return text.trimEnd().split("\n").length;
}

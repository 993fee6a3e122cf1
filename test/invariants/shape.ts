import type { Expression, Node } from "typescript";
import { ts } from "../support/typescript.js";
import { lineOf, parse, type Rule } from "./source-file.js";

/** Longer than this and a file is two ideas. */
const maximumLines = 300;

/** Words that say nothing about what a file is for. */
const forbiddenWords =
  /^(utils?|helpers?|commons?|shared|core|managers?|legacy|compat|misc|process|stuff|handle)$/;

/** Hand-written files stay short. */
export const fileSize: Rule = (files) =>
  files.flatMap((file) => {
    const lines = file.text.replace(/\n$/, "").split("\n").length;
    return lines > maximumLines ? [`${file.path}: ${lines} lines, at most ${maximumLines}`] : [];
  });

/** Files that connect the agents to a framework: what more than one of them needs belongs to a host. */
const adapters =
  /^src\/server\/(?:express|fastify|hono|next)\/|^src\/server\/(?:koa\/koa-middleware|node\/node-listener)\.ts$/;
const maximumAdapterLines = 60;

/** Adapters stay small. */
export const adapterSize: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.replace(/\n$/, "").split("\n").length;
    return adapters.test(path) && lines > maximumAdapterLines
      ? [`${path}: ${lines} lines, at most ${maximumAdapterLines}`]
      : [];
  });

/** An old version may not grow into a second SDK: so many lines of code at most, comments and blank lines left aside. */
const maximumVersionLines = 700;

/** Code of one protocol version stays small. */
export const versionSize: Rule = (files) => {
  const sizes = new Map<string, number>();
  for (const { path, text } of files) {
    const [folder] = /^src\/versions\/v[^/]+\/(?:flat\/)?/.exec(path) ?? [];
    if (folder !== undefined) sizes.set(folder, (sizes.get(folder) ?? 0) + codeLines(text));
  }
  return [...sizes].flatMap(([folder, lines]) =>
    lines > maximumVersionLines ? [`${folder}: ${lines} lines of code, at most ${maximumVersionLines}`] : [],
  );
};

/** Lines that are neither blank nor part of a comment that has its lines to itself. Imports are left aside: they follow the paths. */
function codeLines(text: string): number {
  return text
    .replace(/^import [^;]*;$/gm, "")
    .split("\n")
    .filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

/** Folders and files are named after concepts of the protocol. */
export const fileNames: Rule = (files) =>
  files.flatMap((file) => {
    const words = file.path.split(/[/.-]/);
    const found = words.filter((word) => forbiddenWords.test(word));
    return found.length > 0 ? [`${file.path}: "${found.join('", "')}" names no concept`] : [];
  });

function isGenerated(specifier: Expression | undefined): boolean {
  return specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.includes("/generated/");
}

/** `src/` has named exports only, listed by hand. */
export const namedExports: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) =>
      parse(file).statements.flatMap((statement) => {
        if (ts.isExportAssignment(statement)) return [`${file.path}:${lineOf(statement)}: default export`];
        if (ts.isExportDeclaration(statement)) {
          const { exportClause, isTypeOnly, moduleSpecifier } = statement;
          // The types of a version of the protocol: which there are is decided by its schema.
          if (isTypeOnly && isGenerated(moduleSpecifier)) return [];
          if (exportClause === undefined || ts.isNamespaceExport(exportClause)) {
            return [`${file.path}:${lineOf(statement)}: export *`];
          }
          const renamed = exportClause.elements.some((element) => element.name.text === "default");
          return renamed ? [`${file.path}:${lineOf(statement)}: default export`] : [];
        }
        const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
        const isDefault = modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword);
        return isDefault ? [`${file.path}:${lineOf(statement)}: default export`] : [];
      }),
    );

/** A protocol version inside a string: 0.x or 1.x with or without `v`, not a part of a longer number (1.0.0, 127.0.0.1), nor of HTTP. */
const versionLiteral = /(?<![\d.]|HTTP\/)v?[01]\.\d+(?!\.?\d)/;

/** Versions are named in `src/versions/` alone; the paths of imports are another rule's business. */
export const versionLiterals: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith("src/") && !file.path.startsWith("src/versions/"))
    .flatMap((file) => {
      const found: string[] = [];
      const visit = (node: Node): void => {
        const isSpecifier = ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent);
        const isText =
          ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
        if (isText && !isSpecifier && versionLiteral.test(node.text)) {
          found.push(`${file.path}:${lineOf(node)}: version literal ${JSON.stringify(node.text)}`);
        }
        ts.forEachChild(node, visit);
      };
      ts.forEachChild(parse(file), visit);
      return found;
    });

import { Project, type SourceFile } from "ts-morph";
import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";

/** Prints a TypeScript file that `build` creates with ts-morph, in memory. */
export function printSource(spec: Spec, build: (file: SourceFile) => void): string {
  const project = new Project({ useInMemoryFileSystem: true });
  const file = project.createSourceFile("generated.ts");
  build(file);
  file.formatText({ indentSize: 2, ensureNewLineAtEndOfFile: true });
  return `${banner(spec)}\n${file.getFullText()}`;
}

/** A JSON value as the text of a literal expression, in the style of the hand-written code. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${memberName(name)}: ${literal(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A member name as it is written in an object literal: quoted only where it must be. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The text of a union of string literals; `never` when there are none. */
export function literalUnion(values: readonly string[]): string {
  return values.length === 0 ? "never" : values.map(literal).join(" | ");
}

/** The text of an array literal with one element per line. */
export function lines(elements: readonly string[], [open, close]: readonly [string, string]): string {
  return elements.length === 0
    ? open + close
    : `${open}\n${elements.map((text) => `${text},\n`).join("")}${close}`;
}

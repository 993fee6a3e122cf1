import type { JsonSchema } from "../../json-schema.js";
import type { Contracts, ExtensionSource, SkillSource, Source } from "./contracts.js";

/** A module in two halves: what runs, and what is known of its types. */
export interface Module {
  /** Imports of both forms, and of the declarations. */
  readonly typeImports: readonly string[];
  readonly imports: readonly string[];
  /** Declarations of types. */
  readonly types: readonly string[];
  readonly constants: readonly Constant[];
}

/** An exported constant. */
export interface Constant {
  readonly comment: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** The typed map of skills, for `defineAgent` and `connect`. */
export function skillModule({ skills }: Contracts): Module {
  const sources = skills.flatMap(({ input, output }) => [input, output]).filter((one) => one !== undefined);
  const types = skills.map(
    ({ id, input, output }) =>
      `  readonly ${keyOf(id)}: SkillContract<${input?.type ?? "string"}, ${output?.type ?? "string"}>;`,
  );
  return {
    typeImports: ['import type { SkillContract } from "a2a-parley/client";', ...modelImport(sources)],
    imports: checkImport(sources),
    types: ["/** What each skill takes and gives. */", "export type Skills = {", ...types, "};"],
    constants: [
      {
        comment: "Contracts of the skills, by their ids.",
        name: "skills",
        type: "Skills",
        value: `{\n${skills.map(printSkill).join("")}}`,
      },
    ],
  };
}

/** The extensions, ready to be offered. */
export function extensionModule({ extensions }: Contracts): Module {
  const sources = extensions.map(({ metadata }) => metadata);
  return {
    typeImports: ['import type { Extension } from "a2a-parley";', ...modelImport(sources)],
    imports: ['import { defineExtension } from "a2a-parley";', ...checkImport(sources)],
    types: [],
    constants: extensions.map((extension) => ({
      comment: `The extension ${extension.uri.replaceAll("*/", "* /")}.`,
      name: extension.constant,
      type: `Extension<${extension.metadata.type}>`,
      value: `defineExtension(${printExtension(extension)})`,
    })),
  };
}

function modelImport(sources: readonly Source[]): string[] {
  return importOf(
    "import type",
    sources.map(({ type }) => type),
    "./models.js",
  );
}

function checkImport(sources: readonly Source[]): string[] {
  return importOf(
    "import",
    sources.map(({ check }) => check),
    "./validators.js",
  );
}

function importOf(keyword: string, names: readonly string[], from: string): string[] {
  return names.length === 0 ? [] : [`${keyword} { ${[...names].sort().join(", ")} } from "${from}";`];
}

function printSkill({ id, input, output }: SkillSource): string {
  const sides = Object.entries({ input, output }).flatMap(([side, source]) =>
    source === undefined
      ? []
      : [`    ${side}: { schema: ${printSchema(source.schema, "    ")}, check: ${source.check} },\n`],
  );
  return `  ${keyOf(id)}: {\n${sides.join("")}  },\n`;
}

/** A key of an object literal: quoted where it must be. */
function keyOf(name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name);
}

function printExtension({ uri, description, metadata }: ExtensionSource): string {
  const members = [
    `uri: ${JSON.stringify(uri)}`,
    ...(description === undefined ? [] : [`description: ${JSON.stringify(description)}`]),
    `metadata: ${printSchema(metadata.schema, "  ")}`,
    `check: ${metadata.check}`,
  ];
  return `{\n${members.map((member) => `  ${member},\n`).join("")}}`;
}

function printSchema(schema: JsonSchema, indent: string): string {
  return JSON.stringify(schema, undefined, 2).replaceAll("\n", `\n${indent}`);
}

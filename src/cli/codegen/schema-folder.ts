import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonSchema } from "../../json/json-schema.js";
import { isJsonObject } from "../../json/json-text.js";
import { Failure, fileFailure } from "../failure.js";
import { type FoundSchema, type FoundSchemas, inDraft2020, type Parts } from "./contracts.js";
import type { Problems } from "./problems.js";
import { selfContained } from "./self-contained.js";

/** Names of the schemas in the folder of a skill and of an extension. */
const kinds = { skills: ["input", "output"], extensions: ["metadata"] } as const;

/**
 * Reads `skills/<id>/input`, `skills/<id>/output` and `extensions/<name>/metadata` below a folder, as `.json`, `.yaml` or
 * `.yml`. JSON and YAML files in other folders are only read for references to them. Unusable and misplaced files are recorded as
 * problems.
 *
 * @param shown the folder as the user wrote it
 */
export async function readSchemaFolder(
  folder: string,
  shown: string,
  problems: Problems,
): Promise<FoundSchemas> {
  const files = new Map<string, JsonSchema | undefined>();
  for (const path of await schemaFilesIn(folder)) {
    const origin = `${shown}/${path}`;
    const text = await readFile(join(folder, path), "utf8");
    const parse = path.endsWith(".json") ? JSON.parse : await loadYaml();
    const schema = problems.attempt(() => schemaOf(text, parse, origin));
    files.set(path, schema);
  }
  const found = { skills: new Map<string, Parts>(), extensions: new Map<string, Parts>() };
  for (const [path, schema] of files) {
    const [kind = "", name = "", file = "", ...deeper] = path.split("/");
    if (kind !== "skills" && kind !== "extensions") continue;
    const role = file.replace(/\.\w+$/, "");
    const roles: readonly string[] = kinds[kind];
    const origin = `${shown}/${path}`;
    if (file === "")
      problems.add(
        `${origin} is in the wrong place: it should be a folder, such as ${shown}/${kind}/name/${roles[0]}.json`,
      );
    else if (!roles.includes(role) || deeper.length > 0)
      problems.add(
        `${origin} is in the wrong place: it should be ${roles.map((one) => `${one}.json`).join(" or ")}`,
      );
    else {
      const parts = found[kind].get(name) ?? {};
      if (parts[role])
        problems.add(`${origin} is a second schema of this kind, besides ${parts[role].origin}`);
      const usable =
        schema && problems.attempt(() => ({ origin, schema: selfContained(path, origin, files) }));
      found[kind].set(name, usable ? { ...parts, [role]: usable satisfies FoundSchema } : parts);
    }
  }
  return found;
}

/** Paths of all JSON and YAML files below a folder, sorted. */
async function schemaFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(json|ya?ml)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

function schemaOf(text: string, parse: (text: string) => unknown, origin: string): JsonSchema {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw fileFailure(`${origin} is not ${origin.endsWith(".json") ? "JSON" : "YAML"}`, error);
  }
  if (!isJsonObject(value)) throw fileFailure(`${origin} is not a JSON Schema: it must be an object`);
  return inDraft2020(value, origin);
}

/**
 * Loads the package yaml. It is not a dependency of this package, because only schemas in YAML need it.
 * @throws Failure that says how to install it
 */
async function loadYaml(): Promise<(text: string) => unknown> {
  try {
    const { parse } = await import("yaml");
    return (text) => parse(text, { prettyErrors: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("PARLEY_ERR_FILE", "Schemas in YAML need the package yaml", {
      hint: "npm install --save-dev yaml",
      cause: error,
    });
  }
}

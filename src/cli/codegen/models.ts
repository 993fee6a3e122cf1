import type { compile } from "json-schema-to-typescript";
import { Failure } from "../failure.js";
import type { SchemaSource } from "./contracts.js";
import { indexName, typeSchema } from "./type-schemas.js";

/** How the types are made; the only thing that is needed of json-schema-to-typescript. */
type Compile = typeof compile;

/**
 * TypeScript declarations for schemas. Objects have no members beyond those that the schema names, unless it says of what kind
 * they are: a typing mistake is found, and the checks still let further members pass where the schema does.
 * @throws Failure
 */
export async function printModels(sources: readonly SchemaSource[], compileWith: Compile): Promise<string> {
  return compileWith(typeSchema(sources) as Parameters<Compile>[0], indexName, {
    additionalProperties: false,
    bannerComment: "",
    ignoreMinAndMaxItems: true,
    style: { bracketSpacing: true, printWidth: 110, trailingComma: "all" },
  });
}

/**
 * The generator of types. It is no dependency of this package: only who generates code needs it.
 * @throws Failure that says how to install it
 */
export async function loadTypeGenerator(
  load: () => Promise<{ compile: Compile }> = () => import("json-schema-to-typescript"),
): Promise<Compile> {
  try {
    return (await load()).compile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("PARLEY_ERR_FILE", "parley codegen needs the package json-schema-to-typescript", {
      hint: "npm install --save-dev json-schema-to-typescript",
      cause: error,
    });
  }
}

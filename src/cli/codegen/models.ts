import type { compile } from "json-schema-to-typescript";
import { Failure } from "../failure.js";
import type { SchemaSource } from "./contracts.js";
import { indexName, typeSchema } from "./type-schemas.js";

/** The function of json-schema-to-typescript that prints types. */
type Compile = typeof compile;

/**
 * TypeScript declarations for schemas. Objects have only the members that the schema names, unless the schema has a type for others, so
 * that the compiler finds misspelled members. Validators accept further members where the schema does.
 * @throws Failure
 */
export async function printModels(sources: readonly SchemaSource[], compileWith: Compile): Promise<string> {
  return compileWith(typeSchema(sources) as Parameters<Compile>[0], indexName, {
    additionalProperties: false,
    bannerComment: "",
    ignoreMinAndMaxItems: false,
    style: { bracketSpacing: true, printWidth: 110, trailingComma: "all" },
  });
}

/**
 * Loads json-schema-to-typescript. It is not a dependency of this package, because only code generation needs it.
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

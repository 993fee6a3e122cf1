import { emitClient } from "./emit/client.js";
import { emitErrors } from "./emit/errors.js";
import { emitFields } from "./emit/fields.js";
import { emitFixtures } from "./emit/fixtures.js";
import { emitHandler } from "./emit/handler.js";
import { emitModels } from "./emit/models.js";
import { emitOpenapi } from "./emit/openapi.js";
import { emitOperations } from "./emit/operations.js";
import { emitRest } from "./emit/rest.js";
import { emitValidatorTypes } from "./emit/validator-types.js";
import { emitValidators } from "./emit/validators.js";
import type { Spec } from "./spec-model.js";

/** Generated files: path below `generated/` -> text. */
export type Outputs = ReadonlyMap<string, string>;

/** One emitter per generated file; the order is the order of writing. */
const emitters: Readonly<Record<string, (spec: Spec) => string | Promise<string>>> = {
  "models.ts": emitModels,
  "validators.js": emitValidators,
  "validators.d.ts": emitValidatorTypes,
  "fields.ts": emitFields,
  "errors.ts": emitErrors,
  "operations.ts": emitOperations,
  "handler.ts": emitHandler,
  "client.ts": emitClient,
  "openapi.json": emitOpenapi,
  "rest.ts": emitRest,
  "fixtures.json": emitFixtures,
};

/** Runs every emitter on every version. A pure function of the specs. */
export async function emit(specs: readonly Spec[]): Promise<Outputs> {
  const outputs = new Map<string, string>();
  for (const spec of specs) {
    for (const [file, emitter] of Object.entries(emitters)) {
      outputs.set(`${spec.folder}/${file}`, await emitter(spec));
    }
  }
  return outputs;
}

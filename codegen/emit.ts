import { additionsOf } from "./additions.js";
import { emitAdditions } from "./emit/additions.js";
import { emitAssertions } from "./emit/assertions.js";
import { emitClient } from "./emit/client.js";
import { emitEntry } from "./emit/entry.js";
import { emitErrors } from "./emit/errors.js";
import { emitFallbacks } from "./emit/fallbacks.js";
import { emitFields } from "./emit/fields.js";
import { emitFixtures } from "./emit/fixtures.js";
import { emitGrpc } from "./emit/grpc.js";
import { emitGuards } from "./emit/guards.js";
import { emitHandler } from "./emit/handler.js";
import { emitModels } from "./emit/models.js";
import { emitOpenapi } from "./emit/openapi.js";
import { emitOperations } from "./emit/operations.js";
import { emitReceived } from "./emit/received.js";
import { emitRest } from "./emit/rest.js";
import { emitService } from "./emit/service.js";
import { emitStringFormats } from "./emit/string-formats.js";
import { emitTypedValidators, emitValidatorTypes } from "./emit/validator-types.js";
import { emitUncheckedValidators, emitValidators } from "./emit/validators.js";
import type { Spec } from "./spec-model.js";
import { isDraft, isStable, newestOf, predecessorOf } from "./version-order.js";

/** Generated files: path below `generated/` -> text. */
export type Outputs = ReadonlyMap<string, string>;

type Emitter = (spec: Spec) => string | Promise<string>;

/** One emitter per generated file; the order is the order of writing. */
const emitters: Readonly<Record<string, Emitter>> = {
  "models.ts": emitModels,
  "received.ts": emitReceived,
  "validators.js": emitValidators,
  "validators.d.ts": emitValidatorTypes,
  "assertions.ts": emitAssertions,
  "fields.ts": emitFields,
  "errors.ts": emitErrors,
  "operations.ts": emitOperations,
  "guards.ts": emitGuards,
  "openapi.json": emitOpenapi,
  "rest.ts": emitRest,
  "fixtures.json": emitFixtures,
  "index.ts": emitEntry,
};

/** Emitters of the newest version only, whose operations are the methods of handlers and clients. */
const emittersOfNewest: Readonly<Record<string, Emitter>> = {
  "handler.ts": emitHandler,
  "client.ts": emitClient,
  "string-formats.ts": emitStringFormats,
};

/**
 * Runs every emitter on every version. A pure function of the specs.
 * @param isWanted selects the versions whose files are emitted; all by default
 */
export async function emit(
  specs: readonly Spec[],
  isWanted: (spec: Spec) => boolean = () => true,
): Promise<Outputs> {
  const byVersion = new Map(specs.map((spec) => [spec.protocolVersion, spec]));
  const newest = newestOf(byVersion.keys());
  const released = byVersion.get(newest ?? "");
  const outputs = new Map<string, string>();
  for (const spec of specs.filter(isWanted)) {
    const before = byVersion.get(predecessorOf(spec.protocolVersion, byVersion.keys()) ?? "");
    const files: typeof emitters = {
      ...emitters,
      ...(isStable(spec.protocolVersion) &&
        released !== undefined && {
          "additions.ts": () => emitAdditions(spec, additionsOf(spec, before), released),
        }),
      // What the codecs of earlier versions read.
      ...((spec === released || isDraft(spec.protocolVersion)) &&
        released !== undefined && { "fallbacks.ts": () => emitFallbacks(spec, released) }),
      ...((spec.service !== undefined || spec.grpc !== undefined) && { "grpc.ts": emitGrpc }),
      ...(spec.grpc !== undefined && { "service.ts": emitService }),
      ...(spec.protocolVersion === newest && emittersOfNewest),
    };
    for (const [file, emitter] of Object.entries(files)) {
      outputs.set(`${spec.folder}/${file}`, await emitter(spec));
    }
  }
  return outputs;
}

/** Emitters of standalone code: files that import nothing from this library. */
const standaloneEmitters: Readonly<Record<string, Emitter>> = {
  "models.ts": emitModels,
  "received.ts": emitReceived,
  "checks.ts": emitUncheckedValidators,
  "validators.ts": emitTypedValidators,
  "assertions.ts": emitAssertions,
  "fields.ts": emitFields,
  "errors.ts": emitErrors,
  "operations.ts": emitOperations,
  "guards.ts": emitGuards,
  "handler.ts": emitHandler,
  "client.ts": emitClient,
  "rest.ts": emitRest,
  "index.ts": emitEntry,
};

/** The files of standalone code for one version, by name. */
export async function emitStandalone(spec: Spec): Promise<Outputs> {
  const emitters = { ...standaloneEmitters, ...(spec.service !== undefined && { "grpc.ts": emitGrpc }) };
  const outputs = new Map<string, string>();
  for (const [file, emitter] of Object.entries(emitters)) outputs.set(file, await emitter(spec));
  return outputs;
}

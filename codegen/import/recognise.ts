import { isObject, type JsonObject } from "../normalize/members.js";
import type { Contract } from "./contract.js";
import { objectsOf } from "./json-members.js";
import { ImportError, type Official } from "./official.js";
import { isBundle, readBundle } from "./read-bundle.js";
import { isRequestSchema, methodsOf, readJsonSchema } from "./read-json-schema.js";
import { readProto } from "./read-proto.js";

/** An artifact whose form is known. */
export interface Artifact {
  /** Versions that it may be of: every one for which this is true. */
  fits(contract: Contract): boolean;
  /** Requests are told by their method and types by their shape; names are ours (0.x). */
  readonly nameless: boolean;
  /** Reads it; `base` is the version whose names are kept. */
  read(base: Contract): Official;
}

/**
 * Tells by its content what a file is: `a2a.proto`, the JSON Schema bundle of 1.x, or the JSON Schema of 0.1 to 0.3.
 * @throws ImportError when it is none of them
 */
export function recognise(text: string): Artifact {
  if (!text.trimStart().startsWith("{")) {
    const major = /^\s*package\s+[\w.]*\bv(\d+)\w*\s*;/m.exec(text)?.[1];
    return { fits: ofMajor(major), nameless: false, read: () => readProto(text) };
  }
  const document = parse(text);
  if (isBundle(document)) {
    const major = /^v?(\d+)/.exec(String(document.version))?.[1];
    return { fits: ofMajor(major), nameless: false, read: () => readBundle(document) };
  }
  if (isRequestSchema(document)) {
    return { fits: ofMethods(document), nameless: true, read: (base) => readJsonSchema(document, base) };
  }
  throw new ImportError(
    `JSON without what is known of the protocol: no bundle and no request with a constant method among ${
      objectsOf(document.definitions ?? document.$defs).length
    } definitions`,
  );
}

function parse(text: string): JsonObject {
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document)) return document;
  } catch (error) {
    throw new ImportError(`no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ImportError("JSON, but no object");
}

function ofMajor(major: string | undefined): Artifact["fits"] {
  return ({ schema }) => major === undefined || schema["x-protocol-version"].startsWith(`${major}.`);
}

/** By the version that its card names, else by its methods: some are in one version only. */
function ofMethods(document: JsonObject): Artifact["fits"] {
  const named = /"protocolVersion":\{[^{}]*"default":"(\d+\.\d+)[."]/.exec(JSON.stringify(document))?.[1];
  const methods = methodsOf(document);
  return ({ schema, operations }) => {
    if (named !== undefined) return schema["x-protocol-version"] === named;
    const known = operations.operations.map(({ method }) => method);
    return methods.filter((method) => known.includes(method)).length > methods.length / 2;
  };
}

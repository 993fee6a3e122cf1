import { isObject, type JsonObject } from "../normalize/members.js";
import { hasNumbers } from "./checked-in.js";
import type { Contract } from "./contract.js";
import { objectsOf } from "./json-members.js";
import { ImportError, type Official } from "./official.js";
import { isBundle, readBundle } from "./read-bundle.js";
import { isRequestSchema, methodsOf, readJsonSchema } from "./read-json-schema.js";
import { readProto } from "./read-proto.js";

/** An artifact whose form is known. */
export interface Artifact {
  /** Version that the file says it is of: `1`, `0.3` or `not told`. */
  readonly claims: string;
  /** Whether the file may be of this version, going by what it says. */
  isOf(version: string): boolean;
  /** Versions that it may be of: every one for which this is true. */
  fits(contract: Contract): boolean;
  /** Requests are told by their method and types by their shape; names are ours (0.x). */
  readonly nameless: boolean;
  /** Whether it has the form of a version: messages with field numbers (1.x), or types without. */
  isLike(contract: Contract): boolean;
  /** Reads it; `base` is the version whose names are kept. */
  read(base: Contract): Official;
}

/** Known forms of files that no command reads. */
const refused: readonly (readonly [form: RegExp, what: string])[] = [
  [/^\s*$/, "the file is empty"],
  [/^\s*<(?:!doctype|html|\?xml)/i, "a web page, not the file that it shows"],
  [/^version https:\/\/git-lfs/, "a pointer of Git LFS, not the file that it stands for"],
  [
    /^\s*(?:#.*\n\s*)*["']?(?:openapi|swagger)["']?\s*:/,
    "an OpenAPI document in YAML; what is read is the definition that it is made from",
  ],
  [
    /^\s*(?:#.*\n\s*)*(?:%YAML|---\s|[\w$-]+:(?:\s|$))/,
    "YAML; what is read is a protocol definition (.proto) or JSON",
  ],
  [/^\s*#{1,6} \S/, "a page in Markdown; the text of the specification is given with --text"],
  [
    /^\s*syntax\s*=\s*["']proto2["']/m,
    "a protocol definition of proto2; what is read is proto3 or an edition",
  ],
];
/** Packages whose number is not that of the version: upstream kept this one from 0.2 to the candidates of 1.0. */
const packages: ReadonlyMap<string, readonly string[]> = new Map([["a2a.v1", ["0.2", "0.3", "1"]]]);
const numbered = { nameless: false, isLike: hasNumbers };
const unnumbered = { nameless: true, isLike: (contract: Contract) => !hasNumbers(contract) };
const byteOrderMarks: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], "UTF-8"],
  [[0xff, 0xfe], "UTF-16"],
  [[0xfe, 0xff], "UTF-16"],
];

/**
 * Tells by its content what a file is: `a2a.proto`, the JSON Schema bundle of 1.x, or the JSON Schema of 0.1 to 0.3.
 * @throws ImportError when it is none of them
 */
export function recognise(content: Uint8Array): Artifact {
  const text = textOf(content);
  const what = refused.find(([form]) => form.test(text))?.[1];
  if (what !== undefined) throw new ImportError(what);
  if (!text.trimStart().startsWith("{")) {
    const [, name = "", major] = /^\s*package\s+([\w.]*\bv(\d+)\w*)\s*;/m.exec(text) ?? [];
    return { ...claim(...(packages.get(name) ?? [major])), ...numbered, read: () => readProto(text) };
  }
  const document = parse(text);
  if (document.openapi !== undefined || document.swagger !== undefined) {
    throw new ImportError("an OpenAPI document; what is read is the definition that it is made from");
  }
  if (isBundle(document)) {
    const major = /^v?(\d+)/.exec(String(document.version))?.[1];
    return { ...claim(major), ...numbered, read: () => readBundle(document) };
  }
  if (isRequestSchema(document)) {
    const named = /"protocolVersion":\{[^{}]*"default":"(\d+\.\d+)[."]/.exec(JSON.stringify(document))?.[1];
    const { claims, isOf } = claim(named);
    const fits = named === undefined ? ofMethods(document) : ofVersion(isOf);
    return { claims, isOf, fits, ...unnumbered, read: (base) => readJsonSchema(document, base) };
  }
  if (document["x-protocol-version"] !== undefined || document.commonErrors !== undefined) {
    throw new ImportError("a file of schema/ itself; what is read is what upstream publishes");
  }
  throw new ImportError(
    `JSON, but no schema of the protocol: ${
      objectsOf(document.definitions ?? document.$defs).length
    } definitions, of which none is a request with a constant method (0.1 to 0.3), and no bundle (1.x)`,
  );
}

/** @throws ImportError when it is no text in UTF-8 without a byte order mark */
export function textOf(content: Uint8Array): string {
  const mark = byteOrderMarks.find(([bytes]) => bytes.every((byte, index) => content[index] === byte));
  if (mark !== undefined) {
    throw new ImportError(
      `the file begins with a byte order mark (BOM) of ${mark[1]}; save it as UTF-8 without one`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new ImportError("the file is no text in UTF-8");
  }
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

/** The versions that a file states, in whole or in part: `1` is every 1.x. */
function claim(...said: readonly (string | undefined)[]): Pick<Artifact, "claims" | "isOf" | "fits"> {
  const known = said.filter((one) => one !== undefined);
  const isOf = (version: string) =>
    known.length === 0 || known.some((one) => version === one || version.startsWith(`${one}.`));
  return { claims: known.join(" or ") || "not told", isOf, fits: ofVersion(isOf) };
}

function ofVersion(isOf: Artifact["isOf"]): Artifact["fits"] {
  return ({ schema }) => isOf(schema["x-protocol-version"]);
}

/** By its methods: some are in one version only. */
function ofMethods(document: JsonObject): Artifact["fits"] {
  const methods = methodsOf(document);
  return ({ operations }) => {
    const known = operations.operations.map(({ method }) => method);
    return methods.filter((method) => known.includes(method)).length > methods.length / 2;
  };
}

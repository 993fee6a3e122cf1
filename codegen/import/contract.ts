import type { Level } from "../spec-model.js";
import type { RulePrint } from "./rules.js";

/** One value in the normal form: what it is and its limits. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  /** Type of the keys of a map where it is not `string`; in JSON they are strings all the same. */
  readonly "x-map-key"?: string;
  readonly "x-type"?: "any";
  /** Message of Google that the value is in protocol buffers, where type and format do not tell: `google.protobuf.Duration`. */
  readonly "x-proto"?: string;
}

/** One member of a message in the normal form. */
export interface Property extends Shape {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly "x-number"?: number;
  readonly "x-presence"?: "explicit";
  /** The member, or its type, is that of the text of the specification, not of the definition that is imported. */
  readonly "x-text-only"?: boolean;
}

/** One branch of a definition: a member that tells the branches apart, none of these, or a definition. */
export interface Branch {
  readonly required?: readonly string[];
  readonly not?: { readonly anyOf: readonly Branch[] };
  readonly $ref?: string;
}

/** One entry of `$defs`: a message, an enum, a union, or a named list or map. */
export interface Definition {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Branch[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly enum?: readonly string[];
  readonly deprecated?: boolean;
  /** Numbers, ranges (`9 to 11`) and names that no member may have again. */
  readonly "x-reserved"?: readonly string[];
  readonly "x-oneof"?: string;
  /** Groups beside the first one. */
  readonly allOf?: readonly Pick<Definition, "x-oneof" | "oneOf">[];
  readonly "x-discriminator"?: string;
  readonly "x-enum-numbers"?: readonly number[];
  readonly "x-enum-descriptions"?: Readonly<Record<string, string>>;
  /** What a value counts as where only values of earlier versions are known; under `*` what an import writes for a new one. */
  readonly "x-enum-fallbacks"?: Readonly<Record<string, string>>;
}

/** Definitions by name, in order. */
export type Definitions = Readonly<Record<string, Definition>>;

/** `a2a.schema.json`. */
export interface SchemaDocument {
  readonly $schema: string;
  readonly title: string;
  readonly description: string;
  readonly "x-protocol-version": string;
  readonly $defs: Definitions;
}

/** One route of the HTTP+JSON binding. */
export interface Route {
  readonly verb: string;
  readonly path: string;
  /** What the body holds: a member of the request, `*` for the whole of it, or `""`; what the verb implies when absent. */
  readonly body?: string;
  /** Only the text of the specification has it, not the definition that is imported. */
  readonly textOnly?: boolean;
}

/** One row of the operations table. */
export interface OperationRow {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  readonly http: readonly Route[];
  readonly request: string;
  readonly response: string | null;
  readonly streaming: boolean;
  readonly capability: string | null;
  readonly errors: readonly string[];
  readonly deprecated?: boolean;
  /** Only the text of the specification has it, not the definition that is imported. */
  readonly textOnly?: boolean;
}

/** One row of the error table. */
export interface ErrorRow {
  readonly code: string;
  readonly name: string;
  readonly jsonRpcCode: number;
  readonly httpStatus: number;
  readonly jsonRpcHttpStatus?: number;
  readonly status: string;
  readonly message: string;
  readonly description: string;
  readonly kind: string;
  /** Code of the error that versions which lack this one have in its place. */
  readonly fallback?: string;
  /** Only the text of the specification has it, not the definition that is imported. */
  readonly textOnly?: boolean;
}

/** `operations.json`. */
export interface OperationsDocument {
  readonly protocolVersion: string;
  /** Full name of the gRPC service. */
  readonly service?: string;
  readonly operations: readonly OperationRow[];
  readonly commonErrors: readonly string[];
  readonly errors: readonly ErrorRow[];
  /** How strongly the text of the specification asks for the additions of the version, by the names in the table of decisions. */
  readonly levels?: Readonly<Record<string, Level>>;
}

/** The two documents of one protocol version in the normal form. */
export interface Contract {
  readonly schema: SchemaDocument;
  readonly operations: OperationsDocument;
  /** What is kept of the rules in the text of the specification (`text.json`), where that was read. */
  readonly rules?: readonly RulePrint[];
}

/** Keywords that limit a value. */
export const limits = ["minLength", "minItems", "minimum", "maximum"] as const;

/** Where a reference to a definition of the normal form begins. */
export const definitionsPointer = "#/$defs/";

/** Name of the definition that a shape refers to; undefined when it is no reference. */
export function targetOf({ $ref }: { readonly $ref?: string }): string | undefined {
  return $ref?.startsWith(definitionsPointer) ? $ref.slice(definitionsPointer.length) : undefined;
}

import { readFileSync } from "node:fs";

/** Shape of one value in the normal form, with its annotations and limits. */
export interface Shape {
  type?: string;
  format?: string;
  $ref?: string;
  items?: Shape;
  additionalProperties?: Shape;
  description?: string;
  deprecated?: boolean;
  minLength?: number;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  "x-type"?: string;
  "x-number"?: number;
  "x-presence"?: string;
}

/** Definition of a message or of an enum. */
export interface Definition {
  type: string;
  description: string;
  properties?: Record<string, Shape>;
  required?: string[];
  "x-oneof"?: string;
  oneOf?: { required?: string[] }[];
  enum?: string[];
  "x-enum-numbers"?: number[];
  "x-enum-descriptions"?: Record<string, string>;
}

/** The data model file of one protocol version. */
export interface SchemaFile {
  $schema: string;
  title: string;
  description: string;
  "x-protocol-version": string;
  $defs: Record<string, Definition>;
}

/** One row of the operations file. */
export interface OperationRow {
  name: string;
  description: string;
  method: string;
  http: { verb: string; path: string }[];
  request: string;
  response: string | null;
  streaming: boolean;
  capability: string | null;
  errors: string[];
}

/** One row of the error table. */
export interface ErrorRow {
  code: string;
  name: string;
  jsonRpcCode: number;
  httpStatus: number;
  jsonRpcHttpStatus: number;
  status: string;
  message: string;
  description: string;
  kind: string;
}

/** The operations file of one protocol version. */
export interface OperationsFile {
  protocolVersion: string;
  operations: OperationRow[];
  commonErrors: string[];
  errors: ErrorRow[];
}

/** What the protocol definition says about one field. Marks that do not hold are left out. */
export interface FieldFacts {
  number?: number;
  type?: string;
  repeated?: true;
  map?: true;
  keyType?: string;
  required?: true;
  explicitPresence?: true;
  deprecated?: true;
  oneof?: string;
}

/** What the protocol definition says about one method. */
export interface MethodFacts {
  request: string;
  response: string;
  serverStreaming?: true;
  http: { verb: string; path: string; body?: string }[];
}

/** The facts of the protocol definition: names, numbers, types and presence. */
export interface Facts {
  protocolVersion: string;
  messages: Record<string, { fields: Record<string, FieldFacts> }>;
  enums: Record<string, Record<string, number>>;
  methods: Record<string, MethodFacts>;
}

/** The two schema files and the facts of a version, read afresh so that a test may change them. */
export interface Contract {
  schema: SchemaFile;
  operations: OperationsFile;
  facts: Facts;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));

/** Reads the two schema files of a protocol version, for example `1.0`. */
export function readSchema(version: string): Pick<Contract, "schema" | "operations"> {
  return {
    schema: read(`schema/v${version}/a2a.schema.json`),
    operations: read(`schema/v${version}/operations.json`),
  };
}

/** Reads the contract of a protocol version, for example `1.0`. */
export function readContract(version: string): Contract {
  return { ...readSchema(version), facts: read(`test/facts/v${version}.json`) };
}

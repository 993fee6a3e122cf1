/**
 * The spec model: one protocol version as the phases after `normalize` see it. It is plain data in schema order, already checked:
 * every name in it is defined, and every shape is known.
 */

/** Requirement levels of the specification (RFC 2119), the strongest first. */
export const levels = ["MUST", "SHOULD", "MAY"] as const;
export type Level = (typeof levels)[number];

/** The kind of one value of a field, whether the field is single, a list or a map. */
export type FieldKind =
  | "string"
  | "bytes"
  | "bool"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "double"
  | "timestamp"
  | "enum"
  | "message"
  | "struct"
  | "any";

/** One value: its kind, the type it names (enum and message only) and its limits. */
export interface ValueShape {
  readonly kind: FieldKind;
  /** Name of the enum, or of the message, union or container; only for these two kinds. */
  readonly type?: string;
  /** Full name of its well-known type in protocol buffers, if the kind does not imply it. */
  readonly wellKnown?: string;
  /** The only value; only for strings. */
  readonly constant?: string;
  /** Smallest length in UTF-16 units; only for strings. */
  readonly minLength?: number;
  /** Inclusive limits; only for int32 and uint32. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One member of a message. */
export interface Field extends ValueShape {
  readonly name: string;
  /** Field number in the protocol definition, if that has numbers. */
  readonly number?: number;
  readonly description: string;
  readonly deprecated: boolean;
  /** `list` holds values in an array, `map` holds them under string keys. */
  readonly container: "single" | "list" | "map";
  /** Type of the keys of a map in protocol buffers, if it is not `string`. */
  readonly mapKey?: string;
  /** Smallest number of values; only for lists. */
  readonly minItems?: number;
  readonly required: boolean;
  /** Absent differs from the default value (`optional` in the protocol definition). */
  readonly explicit: boolean;
  /** Name of the group that the member belongs to. */
  readonly oneof?: string;
  /** Name in protocol buffers, if it does not follow from the name in JSON. */
  readonly nameInProto?: string;
}

/** A group of members, at most one of which is present. */
export interface Oneof {
  readonly name: string;
  readonly members: readonly string[];
  /** Whether one of them must be present. */
  readonly required: boolean;
}

/** An object type of the protocol. */
export interface Message {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
  readonly oneofs: readonly Oneof[];
}

/** One of several messages, distinguished by a member with a different constant in each of them. */
export interface Union {
  readonly name: string;
  readonly description: string;
  /** Name of the member that distinguishes them. */
  readonly discriminator: string;
  /** Constant -> name of the message that has it. */
  readonly members: ReadonlyMap<string, string>;
}

/** A list or map with its own name, so that it can be inside another one, or be a response. */
export interface Container {
  readonly name: string;
  readonly description: string;
  /** The list or map as a field; its name is empty. */
  readonly field: Field;
}

/** One value of an enum. */
export interface EnumValue {
  readonly name: string;
  /** Number in the protocol definition, if that has numbers; else the index in the list. */
  readonly number: number;
  readonly description: string;
  /** Value that peers receive instead if their version does not define this one. */
  readonly fallback?: string;
}

/** A closed set of names. */
export interface Enum {
  readonly name: string;
  readonly description: string;
  readonly values: readonly EnumValue[];
}

/** HTTP verbs that a binding may use. */
export type HttpVerb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One route of an operation in the HTTP+JSON binding. */
export interface HttpRoute {
  readonly verb: HttpVerb;
  /** Template such as `/tasks/{id}:cancel`; its variables are members of the request. */
  readonly path: string;
  /** Variables of the template in order. */
  readonly variables: readonly string[];
  /** Members whose value covers several segments, each with the variables in `path` for its wildcards. */
  readonly pieces?: ReadonlyMap<string, readonly string[]>;
  /** Content of the body, if the verb does not imply it: a member, `*` for all members that are not in the path, or `""` for none. */
  readonly body?: string;
}

/** One operation of the protocol. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  /** JSON-RPC method string. */
  readonly method: string;
  /** Routes of the HTTP+JSON binding; empty in versions without that binding. */
  readonly http: readonly HttpRoute[];
  /** Name of the request message. */
  readonly request: string;
  /** Name of the response message, union or container; `null` for an empty response. */
  readonly response: string | null;
  readonly streaming: boolean;
  /** Capability of the agent card that the operation needs. */
  readonly capability: string | null;
  /** Codes of the errors that are specific to the operation. */
  readonly errors: readonly string[];
  readonly deprecated?: boolean;
}

/** Origin of an error: A2A, JSON-RPC, or HTTP. */
export type ErrorKind = "protocol" | "standard" | "transport";

/** One row of the error table. */
export interface ErrorRow {
  readonly code: string;
  readonly name: string;
  readonly jsonRpcCode: number;
  /** HTTP status in the HTTP+JSON binding. */
  readonly httpStatus: number;
  /** HTTP status of a JSON-RPC response with the error. */
  readonly jsonRpcHttpStatus: number;
  /** Name of the status in an HTTP+JSON error body. */
  readonly status: string;
  readonly message: string;
  readonly description: string;
  readonly kind: ErrorKind;
  /** Code of the error that versions without this one use instead. */
  readonly fallback?: string;
}

/** One method of a gRPC service. */
export interface GrpcMethod extends Pick<Operation, "name" | "request" | "response" | "streaming"> {
  /** Name of the operation that it calls. */
  readonly operation: string;
}

/** The gRPC service of a version whose messages in protocol buffers are not those of its schema. */
export interface GrpcContract extends Pick<Spec, "messages" | "enums"> {
  /** Full name of the service. */
  readonly service: string;
  readonly methods: readonly GrpcMethod[];
}

/** Origin of a spec that is not in `schema/`. */
export interface Origin {
  /** Notice at the top of its files, with the line break. */
  readonly banner: string;
  /** Name of the file that it was read from. */
  readonly file: string;
}

/** One protocol version. */
export interface Spec {
  /** Undefined for a version in `schema/`, whose files are in `generated/`. */
  readonly origin?: Origin;
  /** Folder below `schema/` and `generated/`, such as `v1.0`. */
  readonly folder: string;
  readonly protocolVersion: string;
  readonly title: string;
  readonly description: string;
  readonly messages: readonly Message[];
  readonly unions: readonly Union[];
  readonly containers: readonly Container[];
  readonly enums: readonly Enum[];
  readonly operations: readonly Operation[];
  /** Full name of the gRPC service, where the messages have field numbers. */
  readonly service?: string;
  /** The gRPC service, if its messages differ from those of the schema. */
  readonly grpc?: GrpcContract;
  /** Codes of the errors that every operation may return. */
  readonly commonErrors: readonly string[];
  readonly errors: readonly ErrorRow[];
  /** Requirement levels of additions in the text of the specification, by the names in the table of decisions. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** Types that have fixtures, and a guard as enums do, in schema order: all messages, unions and containers. */
  readonly guarded: readonly string[];
}

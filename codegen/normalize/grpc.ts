import type { LoadedFile } from "../load.js";
import { type Place, type Problem, rootPlace } from "../problems.js";
import type { Enum, Field, FieldKind, GrpcContract, GrpcMethod, Message } from "../spec-model.js";

type JsonObject = Readonly<Record<string, unknown>>;

const kinds: ReadonlySet<string> = new Set<FieldKind>([
  ...(["string", "bytes", "bool", "int32", "uint32", "int64", "uint64", "double"] as const),
  ...(["timestamp", "struct", "any"] as const),
]);

/** `repeated Part 5`, `map string 4`, `Message 2 of payload as msg`: type, number, group, and the name in protocol buffers. */
const FIELD = /^(?:(repeated|map) )?([A-Za-z]\w*) (\d+)(?: of (\w+))?(?: as (\w+))?$/;

/**
 * Reads the gRPC service of a version whose messages in protocol buffers differ from those of its schema: methods with their operations,
 * enums with their values numbered from 0, and messages with their members, each as a line such as `repeated Part 5`.
 */
export function readGrpc({ file, content }: LoadedFile, problems: Problem[]): GrpcContract {
  const place = rootPlace(file, problems);
  const { service, methods = {}, enums = {}, messages = {} } = objectIn(content, place);
  const types = new Set([...Object.keys(Object(messages)), ...Object.keys(Object(enums))]);
  const enumNames = new Set(Object.keys(Object(enums)));
  if (typeof service !== "string" || !service.includes("."))
    place.at("service").report("must be package.Service");
  return {
    service: String(service),
    enums: Object.entries(objectIn(enums, place.at("enums"))).map(([name, values]) => enumIn(name, values)),
    messages: Object.entries(objectIn(messages, place.at("messages"))).map(([name, members]) =>
      messageIn(name, objectIn(members, place.at("messages", name)), {
        types,
        enumNames,
        place: place.at("messages", name),
      }),
    ),
    methods: Object.entries(objectIn(methods, place.at("methods"))).map(([name, method]) =>
      methodIn(name, objectIn(method, place.at("methods", name)), types, place.at("methods", name)),
    ),
  };
}

function objectIn(value: unknown, place: Place): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  place.report("must be an object");
  return {};
}

function enumIn(name: string, values: unknown): Enum {
  const names = Array.isArray(values) ? values.map(String) : [];
  const described = { description: "" };
  return { name, ...described, values: names.map((one, number) => ({ name: one, number, ...described })) };
}

interface Known {
  readonly types: ReadonlySet<string>;
  readonly enumNames: ReadonlySet<string>;
  readonly place: Place;
}

function messageIn(name: string, members: JsonObject, known: Known): Message {
  const fields = Object.entries(members).flatMap(([member, line]) => fieldIn(member, line, known) ?? []);
  const numbers = fields.map(({ number }) => number);
  if (new Set(numbers).size < numbers.length) known.place.report("uses a field number twice");
  const groups = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  const oneofs = groups.map((group) => ({
    name: group,
    members: fields.filter(({ oneof }) => oneof === group).map((field) => field.name),
    required: false,
  }));
  return { name, description: "", fields, oneofs };
}

function fieldIn(name: string, line: unknown, { types, enumNames, place }: Known): Field | undefined {
  const [whole, many, type = "", number, oneof, nameInProto] = FIELD.exec(String(line)) ?? [];
  if (whole === undefined) {
    place.at(name).report("must be a type and a number, such as `repeated Part 5`");
    return undefined;
  }
  const isKnown = kinds.has(type);
  if (!isKnown && !types.has(type)) place.at(name).report(`names the unknown type ${type}`);
  const kind = isKnown ? (type as FieldKind) : enumNames.has(type) ? "enum" : "message";
  return {
    name,
    kind,
    ...(!isKnown && { type }),
    number: Number(number),
    ...{ description: "", deprecated: false, required: false, explicit: false },
    container: many === undefined ? "single" : many === "map" ? "map" : "list",
    ...(oneof !== undefined && { oneof }),
    ...(nameInProto !== undefined && { nameInProto }),
  };
}

function methodIn(name: string, method: JsonObject, types: ReadonlySet<string>, place: Place): GrpcMethod {
  const { operation, request, response, streaming = false } = method;
  for (const type of [request, response])
    if (type !== null && !types.has(String(type))) place.report(`names the unknown message ${String(type)}`);
  return {
    name,
    operation: String(operation),
    request: String(request),
    response: response === null ? null : String(response),
    streaming: streaming === true,
  };
}

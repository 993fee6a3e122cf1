import { isJsonObject } from "../json/json-text.js";
import { isEnumNumber } from "../protocol/enum-number.js";
import { readBytes, readDouble, readEnum, readInteger, readLong, readTimestamp } from "./proto-scalars.js";
import type { UnknownMembers } from "./unknown-members.js";

type ScalarKind =
  | "string"
  | "bytes"
  | "bool"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "double"
  | "timestamp";

/** One member of a message, as the generated tables describe it. */
export interface FieldRow {
  readonly name: string;
  /** `struct` is any JSON object (`google.protobuf.Struct`), `any` any JSON value (`google.protobuf.Value`). */
  readonly kind: ScalarKind | "enum" | "message" | "struct" | "any";
  /** For the kind `enum`, the name of the enum; for `message`, that of the message, union or container. */
  readonly type?: string;
  readonly repeated?: true;
  readonly map?: true;
  readonly required?: true;
}

/** A value that is one of several messages, and the member that distinguishes them. */
export interface UnionRow {
  readonly discriminator: string;
  /** Names of the messages, by value of the discriminator. */
  readonly types: Readonly<Record<string, string>>;
}

/** Tables of the types of one protocol version. */
export interface FieldTables {
  readonly messages: Readonly<Record<string, readonly FieldRow[]>>;
  readonly unions?: Readonly<Record<string, UnionRow>>;
  /** Named lists and maps. */
  readonly containers?: Readonly<Record<string, FieldRow>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Other accepted names of members, by message and member. They are read when the proper name is absent. */
export type Aliases = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Options of {@link protoJsonReader}. */
export interface ReaderOptions {
  readonly aliases?: Aliases;
  /** Returns the value of an absent member; undefined omits it. By default absent members are omitted (ProtoJSON). */
  readonly absent?: (message: string, field: FieldRow) => unknown;
  /**
   * Replaces enum numbers without a name, integers as strings, and unknown names in upper case by the first value of the enum. Without it
   * strings are kept, and `keepNumbers` decides about numbers.
   */
  readonly replaceUnknownEnums?: true;
  /** Keeps enum numbers without a name as numbers. Without it they become strings, which validation refuses as unknown names. */
  readonly keepNumbers?: true;
  /** Ignores white space in base64. */
  readonly spacedBytes?: true;
}

/**
 * Reads a value as a message, union or container. Values that cannot be read remain invalid, so that the validator reports them. Unknown
 * members of the messages that `unknown` takes are noted in it, with the object that they belong to.
 */
export type ProtoJsonReader = (type: string, value: unknown, unknown?: UnknownMembers) => unknown;

interface Member {
  /** Accepted spellings, the preferred one first. */
  readonly names: readonly string[];
  readonly field: FieldRow;
  readonly read: (value: unknown) => unknown;
}

/**
 * Creates a lenient reader by the rules of ProtoJSON. It accepts snake_case names (camelCase takes precedence), null for an absent member
 * (except in members that may be any JSON value), enum numbers, decimal strings, both base64 alphabets, and timestamps with offsets. A
 * union value without its discriminator gets the kind that is also the name of one of its members, if there is exactly one.
 * Unknown members of protocol objects are omitted, see {@link ProtoJsonReader}; free-form objects keep all members (§5.7). A valid result
 * shares no object with the input, and no name in the input sets a prototype (§13.4).
 */
export function protoJsonReader(tables: FieldTables, options: ReaderOptions = {}): ProtoJsonReader {
  const { aliases = {}, absent, replaceUnknownEnums, keepNumbers, spacedBytes } = options;
  const plans = new Map<string, readonly Member[]>();
  const spellings = new Map<string, ReadonlySet<string>>();
  /** Unknown members of the value being read. */
  let unknowns: UnknownMembers | undefined;
  const enumNames = new Map<string, ReadonlyMap<number, string>>();

  for (const [type, numbers] of Object.entries(tables.enums)) {
    enumNames.set(type, new Map(Object.entries(numbers).map(([name, number]) => [number, name])));
  }

  const readers: Readonly<Record<FieldRow["kind"], (value: unknown, type: string) => unknown>> = {
    string: (value) => value,
    bool: (value) => value,
    bytes: (value) => readBytes(spacedBytes && typeof value === "string" ? value.replace(SPACE, "") : value),
    int32: readInteger,
    uint32: readInteger,
    int64: readLong,
    uint64: readLong,
    double: readDouble,
    timestamp: readTimestamp,
    enum: (value, type) => {
      const names = enumNames.get(type) ?? new Map();
      const name = readEnum(value, names);
      if (replaceUnknownEnums) return known(name, names);
      return keepNumbers || typeof name !== "number" ? name : String(name);
    },
    struct: copy,
    any: copy,
    message: (value, type) => readType(type, value),
  };

  const reading = (field: FieldRow): Member["read"] =>
    contained(field, (value) => readers[field.kind](value, field.type ?? ""));

  for (const [message, fields] of Object.entries(tables.messages)) {
    const plan = fields.map((field): Member => {
      const names = new Set([field.name, snakeCase(field.name), ...(aliases[message]?.[field.name] ?? [])]);
      return { names: [...names], field, read: reading(field) };
    });
    plans.set(message, plan);
    spellings.set(message, new Set(plan.flatMap(({ names }) => names)));
  }
  const containers = new Map(
    Object.entries(tables.containers ?? {}).map(([name, field]) => [name, reading(field)]),
  );
  const unions = new Map(Object.entries(tables.unions ?? {}));

  function readType(type: string, value: unknown): unknown {
    const read = containers.get(type);
    if (read !== undefined) return read(value);
    const union = unions.get(type);
    if (union === undefined) return readMessage(type, value);
    if (!isJsonObject(value)) return value;
    const kind = kindOf(value, union);
    const member = ownText(union.types, kind);
    return member ? readMessage(member, { ...value, [union.discriminator]: kind }) : value;
  }

  function readMessage(message: string, value: unknown): unknown {
    if (!isJsonObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const { names, field, read } of plans.get(message) ?? []) {
      const given = pick(value, names, field.kind === "any");
      const member = given === undefined ? absent?.(message, field) : read(given);
      if (member !== undefined) result[field.name] = member;
    }
    if (unknowns?.takes(message)) reportUnknown(value, spellings.get(message), { unknowns, result });
    return result;
  }

  return (type, value, unknown) => {
    unknowns = unknown;
    const result = readType(type, value);
    unknowns = undefined;
    return result;
  };
}

interface UnknownReport {
  readonly unknowns: UnknownMembers;
  readonly result: Record<string, unknown>;
}

/** Reports unknown members, as copies. Undefined counts as absent. */
function reportUnknown(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string> | undefined,
  { unknowns, result }: UnknownReport,
): void {
  for (const name of Object.keys(value)) {
    if (known?.has(name) !== true && value[name] !== undefined)
      unknowns.note(result, name, copy(value[name]));
  }
}

/**
 * The kind of a union value: its discriminator or, without one, the kind that is the name of a member, unless there are several. Members
 * that are null count only if all of them are.
 */
function kindOf(value: Readonly<Record<string, unknown>>, { discriminator, types }: UnionRow): unknown {
  const present = Object.keys(types).filter((name) => value[name] !== undefined);
  const filled = present.filter((name) => value[name] !== null);
  const [named, ...others] = filled.length > 0 ? filled : present;
  return value[discriminator] ?? (others.length === 0 ? named : undefined);
}

function ownText(table: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
}

const SPACE = /[ \t\r\n\f]+/g;

/** An enum name that a newer version may have added, or an integer. */
const NEWER = /^(?:[A-Z][A-Z\d_]*|-?\d+)$/;

/** Replaces an enum name or number that is unknown, probably because it is newer, by the first value of the enum. */
function known(value: unknown, names: ReadonlyMap<number, string>): unknown {
  const [first = value, ...others] = names.values();
  if (isEnumNumber(value)) return first;
  const isNewer = typeof value === "string" && NEWER.test(value) && !others.includes(value);
  return isNewer ? first : value;
}

function contained(field: FieldRow, one: (value: unknown) => unknown): (value: unknown) => unknown {
  if (field.repeated) return (value) => (Array.isArray(value) ? value.map(one) : value);
  if (field.map) return (value) => (isJsonObject(value) ? mapValues(value, one) : value);
  return one;
}

/** The value under the first spelling that is present; else undefined. Null counts as absent, unless `nullIsValue` is set. */
function pick(value: object, names: readonly string[], nullIsValue: boolean): unknown {
  for (const name of names) {
    if (!Object.hasOwn(value, name)) continue;
    const given = (value as Record<string, unknown>)[name];
    if (given !== null || nullIsValue) return given;
  }
  return undefined;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isJsonObject(value) ? mapValues(value, copy) : value;
}

function mapValues(value: object, one: (value: unknown) => unknown): object {
  // `fromEntries` defines members; an assignment to `__proto__` would set the prototype instead.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, one(member)]));
}

/** For {@link ReaderOptions.absent}: an absent required member is read as an empty list or object, or else as `""`. */
export function emptyValue(_message: string, { repeated, map, required, kind }: FieldRow): unknown {
  if (!required) return undefined;
  if (repeated) return [];
  return map || kind === "message" || kind === "struct" ? {} : "";
}

/** The snake_case name of a member: `media_type` for `mediaType`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

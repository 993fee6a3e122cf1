import { isJsonObject } from "../json/json-text.js";
import type { UntypedObject } from "./card-interfaces.js";
import { snakeCase } from "./proto-json.js";

/** The members that {@link camelCased} reads. */
const memberNames = [
  "id type kind message metadata status artifact artifacts history timestamp append taskId contextId sessionId",
  "eventType eventTypes historyLength lastChunk pushNotification pushNotificationConfig acceptedOutputModes",
  "authenticationInfo headerName webhookUrl",
] as const;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Members of a JSON object in camelCase. */
type CamelCased = { [Name in Words<(typeof memberNames)[number]>]?: unknown };

const spellings = /* @__PURE__ */ memberNames.flatMap((names) =>
  (names.split(" ") as (keyof CamelCased)[]).map((name) => [name, snakeCase(name)] as const),
);

/**
 * The members of a JSON object that readers of 0.1 use, in camelCase. The snake_case spelling is read if the camelCase one is absent or
 * null. A value that is not an object counts as `{}`. Other members are not copied, because copying a million takes seconds.
 */
export function camelCased(value: unknown): Readonly<CamelCased> {
  const result: CamelCased = {};
  if (!isJsonObject(value)) return result;
  for (const [name, snake] of spellings) {
    const member = value[name] ?? value[snake];
    if (member !== undefined) result[name] = member;
  }
  return result;
}

/** How one member of a model object is written in another version; `{}` if it is written in the same way. */
export interface Member<Value, Whole, Context> {
  /** Its name in that version, if it differs. */
  readonly as?: string;
  /** Further names that peers use; they are read when the proper name is absent or null. */
  readonly aliases?: readonly string[];
  /**
   * Converts the value to the model. It is called even if the member is absent. Undefined omits the member. Return unreadable values
   * unchanged, so that the model's validator reports them.
   */
  read?(value: unknown, context: Context, whole: UntypedObject): unknown;
  /** Converts the value to that version. It is called even if the member is absent. Undefined omits the member. */
  write?(value: Value, whole: Whole): unknown;
  /** Empty strings and lists are written. By default they are omitted, because they mean the same as absent ones. */
  readonly empty?: true;
}

/** How a model object is written in another version. Members that the table lacks are neither read nor written. */
export type Members<Model, Context = unknown> = {
  readonly [Name in keyof Model]?: Member<Model[Name], Model, Context>;
};

/** Reads and writes the objects that a table of {@link Members} describes. Names are read in camelCase and in snake_case. */
export interface Translation<Model, Wire, Context> {
  /** Converts an object of that version to the model, without validation. A value that is not an object is returned unchanged. */
  read(value: unknown, context: Context): unknown;
  /** Converts an object of the model. Undefined, which stands for an absent member, is returned unchanged. */
  write(value: Model): Wire;
}

type Row<Context> = Member<unknown, unknown, Context> & {
  readonly name: string;
  /** Accepted spellings. The first one is written. */
  readonly names: readonly string[];
};

/** The `write` of a member that does not exist in the other version. */
export const notWritten = (): undefined => undefined;

/** Creates the reader and the writer of a table. `Wire` is the type of a written object, which the compiler does not check. */
export function translation<Model extends object, Wire extends object, Context = unknown>(
  members: Members<Model, Context>,
): Translation<Model, Wire, Context> {
  const rows = Object.entries<Member<never, never, Context>>(members as never).map(([name, member]) => {
    const names = [member.as ?? name, ...(member.aliases ?? [])];
    return { ...member, name, names: [...names, ...names.map(snakeCase)] } as Row<Context>;
  });
  return {
    read: (value, context) => {
      if (!isJsonObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const { name, names, read } of rows) {
        const given = names.map((one) => value[one]).find((one) => one !== undefined && one !== null);
        const member = read === undefined ? given : read(given, context, value);
        if (member !== undefined) result[name] = member;
      }
      return result;
    },
    write: (whole) => {
      if (whole === undefined) return undefined as never;
      const result: Record<string, unknown> = {};
      for (const {
        name,
        names: [as = name],
        write,
        empty,
      } of rows) {
        const given = (whole as UntypedObject)[name];
        const member = write === undefined ? given : write(given, whole);
        if (empty ? member !== undefined : isFilled(member)) result[as] = member;
      }
      return result as Wire;
    },
  };
}

/** Converts lists, element by element. When read, a value that is not a list is returned unchanged. */
export function listTranslation<Model, Wire, Context>(
  one: Translation<Model, Wire, Context>,
): Translation<readonly Model[], Wire[], Context> {
  return {
    read: (list, context) => (Array.isArray(list) ? list.map((element) => one.read(element, context)) : list),
    write: (list) => list?.map(one.write),
  };
}

/** Whether a value is neither undefined nor an empty string or list. */
function isFilled(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

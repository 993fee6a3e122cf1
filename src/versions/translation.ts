import { isJsonObject } from "../json/json-text.js";
import type { UntypedObject } from "./card-interfaces.js";
import { snakeCase } from "./proto-json.js";

/** The members that {@link camelCased} reads. */
const read = [
  "id type kind message metadata status artifact artifacts history timestamp append taskId contextId sessionId",
  "eventType eventTypes historyLength lastChunk pushNotification pushNotificationConfig acceptedOutputModes",
  "authenticationInfo headerName webhookUrl",
] as const;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Members of a JSON object in camelCase. */
type CamelCased = { [Name in Words<(typeof read)[number]>]?: unknown };

const spellings = /* @__PURE__ */ read.flatMap((names) =>
  (names.split(" ") as (keyof CamelCased)[]).map((name) => [name, snakeCase(name)] as const),
);

/**
 * The members of a JSON object that readers of 0.1 use, in camelCase. If both spellings are present, camelCase wins. A value that
 * is not an object counts as `{}`. Members are looked up, because copying an object that has very many takes seconds.
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

/** How one member of a model object is written in another version; `{}` if it is the same. */
export interface Member<Value, Whole, Context> {
  /** Its name in that version, if it differs. */
  readonly as?: string;
  /** Further names that peers use; they are read when the proper name is absent. */
  readonly aliases?: readonly string[];
  /**
   * Converts the value to the model. It is called even if the member is absent. Undefined omits the member. Unreadable values are returned
   * unchanged, so that the model's validator reports them.
   */
  read?(value: unknown, context: Context, whole: UntypedObject): unknown;
  /** Converts the value to that version. It is called even if the member is absent. Undefined, `""` and an empty list omit the member. */
  write?(value: Value, whole: Whole): unknown;
  /** Empty strings and lists are written, because they differ from absent ones. */
  readonly empty?: true;
}

/** How a model object is written in another version. Members that are missing from the table do not exist in that version. */
export type Members<Model, Context = unknown> = {
  readonly [Name in keyof Model]?: Member<Model[Name], Model, Context>;
};

/** Both directions of one table, so that they always match. Members are read in camelCase and in snake_case. */
export interface Translation<Model, Wire, Context> {
  /** Converts an object of that version to the model, without validation. A value that is not an object is returned unchanged. */
  read(value: unknown, context: Context): unknown;
  /** Converts an object of the model; undefined for an absent optional member. */
  write(value: Model): Wire;
}

type Row<Context> = Member<unknown, unknown, Context> & {
  readonly name: string;
  /** Accepted spellings. The first one is written. */
  readonly names: readonly string[];
};

/** The `write` of a member that does not exist in the other version. */
export const notWritten = (): undefined => undefined;

/** Creates both directions of a table. `Wire` is the type of a written model, which the compiler does not check. */
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

/** Converts lists, element by element. */
export function listTranslation<Model, Wire, Context>(
  one: Translation<Model, Wire, Context>,
): Translation<readonly Model[], Wire[], Context> {
  return {
    read: (list, context) => (Array.isArray(list) ? list.map((element) => one.read(element, context)) : list),
    write: (list) => list?.map(one.write),
  };
}

/** Whether a value is not empty. An empty string or list means the same as an absent one. */
function isFilled(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

import { isJsonObject } from "../json/json-text.js";
import type { UntypedObject } from "./card-interfaces.js";
import { snakeCase } from "./proto-json.js";

/** A JSON object with camelCase names. If both spellings are present, camelCase wins. Any other value counts as an empty object. */
export function camelCased(value: unknown): UntypedObject {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [camelCase(name), member]);
  return { ...Object.fromEntries(entries), ...value };
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How one member of a model object is written in another version; `{}` if it is the same. */
export interface Member<Value, Whole, Place> {
  /** Its name in that version, if it differs. */
  readonly as?: string;
  /** Further names that peers use; they are read when the proper name is absent. */
  readonly aliases?: readonly string[];
  /**
   * Converts the value to the model; called also when the member is absent. Undefined leaves the member out. Unreadable values are returned
   * unchanged, so that the model's validator names them.
   */
  read?(value: unknown, place: Place, whole: UntypedObject): unknown;
  /** Converts the value to that version; called also when it is absent. Undefined, an empty text or an empty list leaves it out. */
  write?(value: Value, whole: Whole): unknown;
  /** Empty texts and lists are written, because they differ from absent ones. */
  readonly empty?: true;
}

/** How a model object is written in another version. Members that are missing from the table do not exist in that version. */
export type Members<Model, Place = unknown> = {
  readonly [Name in keyof Model]?: Member<Model[Name], Model, Place>;
};

/** Both directions of a table, which therefore always match. Members are read in camelCase and in snake_case. */
export interface Translation<Model, Wire, Place> {
  /** Converts an object of that version to the model, without validation. A value that is not an object is returned unchanged. */
  read(value: unknown, place: Place): unknown;
  /** Converts an object of the model; undefined for an absent optional member. */
  write(value: Model): Wire;
}

type Row<Place> = Member<unknown, unknown, Place> & {
  readonly name: string;
  /** Accepted spellings. The first one is written. */
  readonly names: readonly string[];
};

/** The `write` of a member that does not exist in the other version. */
export const nowhere = (): undefined => undefined;

/** Makes both directions of a table. `Wire` is the result of writing a model; the tests of each version check it. */
export function translation<Model extends object, Wire extends object, Place = unknown>(
  members: Members<Model, Place>,
): Translation<Model, Wire, Place> {
  const rows = Object.entries<Member<never, never, Place>>(members as never).map(([name, member]) => {
    const names = [member.as ?? name, ...(member.aliases ?? [])];
    return { ...member, name, names: [...names, ...names.map(snakeCase)] } as Row<Place>;
  });
  return {
    read: (value, place) => {
      if (!isJsonObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const { name, names, read } of rows) {
        const given = names.map((one) => value[one]).find((one) => one !== undefined && one !== null);
        const member = read === undefined ? given : read(given, place, value);
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

/** Converts lists, by the conversion of their elements. */
export function listOf<Model, Wire, Place>(
  one: Translation<Model, Wire, Place>,
): Translation<readonly Model[], Wire[], Place> {
  return {
    read: (list, place) => (Array.isArray(list) ? list.map((element) => one.read(element, place)) : list),
    write: (list) => list.map(one.write),
  };
}

/** An empty text or list means the same as an absent one. */
function isFilled(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

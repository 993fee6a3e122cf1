import { isJsonObject } from "../json/json-text.js";
import type { UntypedObject } from "./card-interfaces.js";
import { snakeCase } from "./proto-json.js";

/** A JSON object with its own members in camelCase; of two spellings of a name that one counts. What is no object has no members. */
export function camelCased(value: unknown): UntypedObject {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [camelCase(name), member]);
  return { ...Object.fromEntries(entries), ...value };
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How one member of an object of the model is said in another version; `{}` says it in the same way. */
export interface Member<Value, Whole, Place> {
  /** Its name there, when that is another one. */
  readonly as?: string;
  /** Further names that peers give it; they count when the proper one is absent. */
  readonly aliases?: readonly string[];
  /**
   * Its value in the model, asked for also when it is absent; undefined leaves it out. What cannot be read stays as it is, for
   * the model's validator to name.
   */
  read?(value: unknown, place: Place, whole: UntypedObject): unknown;
  /** Its value there, asked for also when it is absent; undefined, an empty text or an empty list leaves it out. */
  write?(value: Value, whole: Whole): unknown;
  /** Empty texts and lists are written: they do not mean the same as nothing. */
  readonly empty?: true;
}

/** How an object of the model is said in another version. Members that are not in the table have no place there. */
export type Members<Model, Place = unknown> = {
  readonly [Name in keyof Model]?: Member<Model[Name], Model, Place>;
};

/** Both directions of a table, which therefore cannot fall apart. Members are read in camelCase and in snake_case. */
export interface Translation<Model, Wire, Place> {
  /** An object of the other version in terms of the model. It judges nothing: what is no object stays as it is. */
  read(value: unknown, place: Place): unknown;
  /** An object of the model there; of an optional member that is absent there is none. */
  write(value: Model): Wire;
}

type Row<Place> = Member<unknown, unknown, Place> & {
  readonly name: string;
  /** Spellings in the order in which they count; the first one is written. */
  readonly names: readonly string[];
};

/** Value of a member's `write` that has no place in the other version. */
export const nowhere = (): undefined => undefined;

/** Makes the two directions of a table. `Wire` is what the table makes of a model: the tests of its version hold it to that. */
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

/** A list of what one element is read and written by. */
export function listOf<Model, Wire, Place>(
  one: Translation<Model, Wire, Place>,
): Translation<readonly Model[], Wire[], Place> {
  return {
    read: (list, place) => (Array.isArray(list) ? list.map((element) => one.read(element, place)) : list),
    write: (list) => list.map(one.write),
  };
}

/** An empty text or list says the same as an absent one. */
function isFilled(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

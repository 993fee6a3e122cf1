/** The text of a member: name, type, range, container, marks and group. */
const MEMBER = /^(\w+)(?::(\w+))?(?:\((-?\d*),?(\d*)\))?(\[(\d*)\]|\{\})?(!?)(\??)(?:<(\w+)(\??)>)?$/;

const tables = new WeakMap<object, unknown>();

/**
 * Reads the table of a version's members. It is generated as text, which is smaller than objects, because clients in browsers load it. The
 * generated file describes the form of the texts. A table is read once, whichever parts of the library use it.
 * @param enums the enums of the version by name
 */
export function readFields<Name extends string, Field>(
  texts: Readonly<Record<Name, string>>,
  enums: Readonly<Record<string, unknown>>,
): Readonly<Record<Name, readonly Field[]>> {
  const known = tables.get(texts);
  const rows =
    known ??
    Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, fieldsIn(text, enums)]));
  tables.set(texts, rows);
  return rows as Readonly<Record<Name, readonly Field[]>>;
}

function fieldsIn(text: string, enums: Readonly<Record<string, unknown>>): object[] {
  return text === "" ? [] : text.split(" ").map((member) => fieldIn(member, enums));
}

function fieldIn(text: string, enums: Readonly<Record<string, unknown>>): object {
  const [, name, type = "string", min, max, container, minItems, required, explicit, oneof, optional] =
    MEMBER.exec(text) ?? [];
  return {
    name,
    ...(/^[A-Z]/.test(type) ? { kind: type in enums ? "enum" : "message", type } : { kind: type }),
    ...(min && { min: Number(min) }),
    ...(max && { max: Number(max) }),
    ...(container && { [container === "{}" ? "map" : "repeated"]: true }),
    ...(minItems && { minItems: Number(minItems) }),
    ...(required && { required: true }),
    ...(explicit && { explicit: true }),
    ...(oneof && { oneof }),
    ...(optional && { optional: true }),
  };
}

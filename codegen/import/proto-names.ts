import protobuf from "protobufjs";

/** The types of a definition and the names that they get in the normal form, where names are flat. */
export interface ProtoNames {
  readonly messages: readonly protobuf.Type[];
  readonly enums: readonly protobuf.Enum[];
  readonly services: readonly protobuf.Service[];
  of(type: protobuf.Type | protobuf.Enum): string;
  /** Type that a field names, when the definition has it. */
  typeOf(field: {
    readonly type: string;
    readonly parent: protobuf.NamespaceBase | null;
  }): Declared | undefined;
}

/** A type that a field can have. */
export type Declared = protobuf.Type | protobuf.Enum;

/** Names the types in `root`, including nested ones. Reports names that two types would share. */
export function protoNames(root: protobuf.Root, problems: string[]): ProtoNames {
  const found: protobuf.ReflectionObject[] = [];
  collect(root, found);
  const messages = found.filter((object) => object instanceof protobuf.Type);
  const enums = found.filter((object) => object instanceof protobuf.Enum);
  const names = new Map<protobuf.ReflectionObject, string>();
  for (const type of [...messages, ...enums]) {
    const taken = [...names.values()].includes(type.name);
    const name = taken ? `${type.parent?.name ?? ""}${type.name}` : type.name;
    if ([...names.values()].includes(name)) problems.push(`${type.fullName}: the name ${name} is taken`);
    names.set(type, name);
  }
  return {
    messages,
    enums,
    services: found.filter((object) => object instanceof protobuf.Service),
    of: (type) => names.get(type) ?? type.name,
    typeOf: ({ type, parent }) => {
      const target = parent?.lookup(type);
      return target instanceof protobuf.Type || target instanceof protobuf.Enum ? target : undefined;
    },
  };
}

function collect(space: protobuf.NamespaceBase, found: protobuf.ReflectionObject[]): void {
  for (const object of space.nestedArray) {
    if (
      object instanceof protobuf.Type ||
      object instanceof protobuf.Enum ||
      object instanceof protobuf.Service
    ) {
      found.push(object);
    }
    if (object instanceof protobuf.Namespace || object instanceof protobuf.Type) collect(object, found);
  }
}

import type { Spec } from "../spec-model.js";
import { literal, printSource } from "./source.js";

/** `received.ts`: the types of values that a peer has sent, whose enums may have values that this version does not define. */
export function emitReceived(spec: Spec): string {
  const enums = spec.enums.map(({ name }) => name);
  const open = [...typesWithEnums(spec)];
  return printSource(spec, (file) => {
    const namedImports = [...enums, ...open];
    if (namedImports.length > 0) {
      file.addImportDeclaration({ isTypeOnly: true, namedImports, moduleSpecifier: "./models.js" });
    }
    file.addTypeAliases([
      { name: "EnumValue", type: enums.join(" | ") || "never" },
      { name: "WithEnums", type: open.join(" | ") || "never" },
      {
        isExported: true,
        name: "UnrecognizedEnumValue",
        type: '(string | number) & { readonly "~unrecognized": true }',
        docs: [UNRECOGNIZED],
      },
      {
        isExported: true,
        name: "Open",
        typeParameters: [{ name: "Value", constraint: "EnumValue" }],
        type: "Value | UnrecognizedEnumValue",
        docs: [OPEN + openExample(spec)],
      },
      {
        isExported: true,
        name: "Received",
        typeParameters: [{ name: "Message", constraint: "object" }],
        type: "{ [Member in keyof Message]: ReceivedMember<Message[Member]> }",
        docs: [RECEIVED],
      },
      {
        name: "ReceivedMember",
        typeParameters: ["Value"],
        type: `[Value] extends [undefined] ? Value
: [Value] extends [EnumValue | undefined] ? Open<Exclude<Value, undefined>> | Extract<Value, undefined>
: Value extends WithEnums | readonly WithEnums[] | { readonly [key: string]: WithEnums } ? Received<Value>
: Value`,
      },
    ]);
  });
}

/** Names of the messages, unions and containers in which there is an enum, at any depth; in schema order. */
export function typesWithEnums({ messages, unions, containers }: Spec): ReadonlySet<string> {
  const found = new Set<string>();
  const hasEnum = ({ kind, type = "" }: { readonly kind: string; readonly type?: string }) =>
    kind === "enum" || found.has(type);
  const types = [
    ...messages.map(({ name, fields }) => ({ name, isOpen: () => fields.some(hasEnum) })),
    ...unions.map(({ name, members }) => ({
      name,
      isOpen: () => [...members.values()].some((member) => found.has(member)),
    })),
    ...containers.map(({ name, field }) => ({ name, isOpen: () => hasEnum(field) })),
  ];
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (const { name, isOpen } of types) if (isOpen()) found.add(name);
  }
  return new Set(types.map(({ name }) => name).filter((name) => found.has(name)));
}

/** The type of an answer as its caller gets it. */
export function receivedType(response: string | null, withEnums: ReadonlySet<string>): string {
  return response !== null && withEnums.has(response) ? `Received<${response}>` : String(response);
}

const UNRECOGNIZED = `A value of an enum that this version does not define: the name or the number that a peer of another version has sent. The member
\`~unrecognized\` exists in the type only. It distinguishes this value from the names of the enum, so that the compiler still reports a name
that a \`switch\` omits.`;

const OPEN = `An enum as a peer sends it: a name that this version defines, or an {@link UnrecognizedEnumValue}.`;

function openExample({ enums: [first] }: Spec): string {
  if (first === undefined) return "";
  return `

@example
\`\`\`ts
function label(value: Open<${first.name}>): string {
  switch (value) {
    case ${literal(first.values.at(-1)?.name)}:
      return "the last one";
    default:
      return \`another one: \${value}\`;
  }
}
\`\`\``;
}

const RECEIVED = `A message as a peer sends it: every enum in it, at any depth, is {@link Open}. A \`Message\` is also a \`Received<Message>\`, and a type
without enums stays as it is.`;

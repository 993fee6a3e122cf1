import protobuf from "protobufjs";

/** Files that declare the options which the definition uses. */
const options: readonly (readonly [prefix: string, file: string])[] = [
  ["(google.api.http)", "google/api/annotations.proto"],
  ["(google.api.field_behavior)", "google/api/field_behavior.proto"],
  ["(google.api.method_signature)", "google/api/client.proto"],
];
/** Files of messages whose name differs from that of the file. */
const files: Readonly<Record<string, string>> = {
  Value: "struct",
  ListValue: "struct",
  FieldMask: "field_mask",
};
const wrapper = /^(?:String|Bytes|Bool|U?Int\d\d|Double|Float)Value$/;

/** Files of Google whose messages or options are used, and which are not imported. */
export function missingImports(root: protobuf.Root, imports: readonly string[]): string[] {
  const needed = new Set<string>();
  const type = (name: string) => {
    const word = /^\.?google\.protobuf\.(\w+)$/.exec(name)?.[1];
    if (word === undefined) return;
    const file = files[word] ?? (wrapper.test(word) ? "wrappers" : word.toLowerCase());
    needed.add(`google/protobuf/${file}.proto`);
  };
  visit(root, (object) => {
    for (const option of Object.keys(object.options ?? {})) {
      for (const [prefix, file] of options) if (option.startsWith(prefix)) needed.add(file);
    }
    if (object instanceof protobuf.Field) type(object.type);
    if (object instanceof protobuf.Method) {
      type(object.requestType);
      type(object.responseType);
    }
  });
  return [...needed].filter((file) => !imports.includes(file)).sort();
}

function visit(space: protobuf.NamespaceBase, look: (object: protobuf.ReflectionObject) => void): void {
  for (const object of space.nestedArray) {
    look(object);
    if (object instanceof protobuf.Type) object.fieldsArray.forEach(look);
    if (object instanceof protobuf.Service) object.methodsArray.forEach(look);
    if (object instanceof protobuf.Namespace) visit(object, look);
  }
}

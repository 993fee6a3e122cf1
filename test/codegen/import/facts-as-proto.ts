import type { Facts, FieldFacts, MethodFacts } from "../../schema/read-contract.js";

const types: Record<string, string> = {
  object: "google.protobuf.Struct",
  timestamp: "google.protobuf.Timestamp",
  "any JSON value": "google.protobuf.Value",
};

/** A protocol definition that says what the facts say, in the manner of the official one. */
export function factsAsProto({ messages, enums, methods }: Facts): string {
  return [
    'syntax = "proto3";',
    "package lf.a2a.v1;",
    'import "google/api/annotations.proto";',
    'import "google/api/client.proto";',
    'import "google/api/field_behavior.proto";',
    'import "google/protobuf/empty.proto";',
    'import "google/protobuf/struct.proto";',
    'import "google/protobuf/timestamp.proto";',
    'option go_package = "example.org/a2a/v1";',
    "// The operations.",
    "service A2AService {",
    ...Object.entries(methods).flatMap(([name, method]) => methodLines(name, method)),
    "}",
    ...Object.entries(messages).flatMap(([name, { fields }]) => messageLines(name, Object.entries(fields))),
    ...Object.entries(enums).flatMap(([name, values]) => [
      `enum ${name} {`,
      ...Object.entries(values).map(([value, number]) => `  ${value} = ${number};`),
      "}",
    ]),
    "",
  ].join("\n");
}

function messageLines(name: string, fields: [string, FieldFacts][]): string[] {
  const groups = [...new Set(fields.flatMap(([, { oneof }]) => oneof ?? []))];
  return [
    `// Comment on ${name}.`,
    `message ${name} {`,
    ...fields.filter(([, { oneof }]) => oneof === undefined).map(fieldLine),
    ...groups.flatMap((group) => [
      `  oneof ${group} {`,
      ...fields.filter(([, { oneof }]) => oneof === group).map(fieldLine),
      "  }",
    ]),
    "}",
  ];
}

function fieldLine([name, facts]: [string, FieldFacts]): string {
  const { number, type = "", repeated, map, keyType, required, explicitPresence, deprecated } = facts;
  const proto = types[type] ?? type;
  const whole = map ? `map<${keyType}, ${proto}>` : `${repeated ? "repeated " : ""}${proto}`;
  const options = [
    ...(required ? ["(google.api.field_behavior) = REQUIRED"] : []),
    ...(deprecated ? ["deprecated = true"] : []),
  ];
  const suffix = options.length > 0 ? ` [${options.join(", ")}]` : "";
  return `  ${explicitPresence ? "optional " : ""}${whole} ${snakeCase(name)} = ${number}${suffix}; // ${name}`;
}

function methodLines(name: string, { request, response, serverStreaming, http }: MethodFacts): string[] {
  const [first, ...others] = http.map(
    ({ verb, path, body }) => `${verb.toLowerCase()}: "${path}"${body ? ` body: "${body}"` : ""}`,
  );
  const answer = response === "empty" ? "google.protobuf.Empty" : response;
  return [
    `  // Comment on ${name}.`,
    `  rpc ${name}(${request}) returns (${serverStreaming ? "stream " : ""}${answer}) {`,
    `    option (google.api.http) = { ${first} ${others.map((rule) => `additional_bindings: { ${rule} }`).join(" ")} };`,
    '    option (google.api.method_signature) = "id";',
    "  }",
  ];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

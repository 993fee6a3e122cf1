import { type SourceFile, VariableDeclarationKind } from "ts-morph";
import type { Operation, Spec } from "../spec-model.js";
import { typeName } from "./fields.js";
import { receivedType, typesWithEnums } from "./received.js";
import { lines, literal, literalUnion, printSource } from "./source.js";

/** `operations.ts`: the one table of operations, and their request and response types by name. */
export function emitOperations(spec: Spec): string {
  return printSource(spec, (file) => {
    const types = messageTypes(spec.operations);
    file.addImportDeclarations([
      { isTypeOnly: true, namedImports: ["ErrorCode"], moduleSpecifier: "./errors.js" },
      {
        isTypeOnly: true,
        namedImports: [...new Set(["MessageName", typeName(spec)])],
        moduleSpecifier: "./fields.js",
      },
      { isTypeOnly: true, namedImports: types, moduleSpecifier: "./models.js" },
      { isTypeOnly: true, namedImports: ["Received"], moduleSpecifier: "./received.js" },
      { isTypeOnly: true, namedImports: ["paths"], moduleSpecifier: "./rest.js" },
    ]);
    addVersion(file, spec);
    addTypes(file, spec);
    addRow(file, typeName(spec));
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["Every operation, in schema order."],
      declarations: [
        {
          name: "operations",
          initializer: `${lines(spec.operations.map(operationRow), ["[", "]"])} as const satisfies readonly Operation[]`,
        },
      ],
    });
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: [
        "Errors of each operation, in addition to `commonErrors`. A separate table, so that bundles that do not use it are smaller.",
      ],
      declarations: [
        {
          name: "operationErrors",
          type: "Readonly<Record<OperationName, readonly ErrorCode[]>>",
          initializer: lines(
            spec.operations.map(({ name, errors }) => `${name}: ${literal(errors)}`),
            ["{", "}"],
          ),
        },
      ],
    });
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["Errors that every operation may return, in addition to its own."],
      declarations: [
        { name: "commonErrors", type: "readonly ErrorCode[]", initializer: literal(spec.commonErrors) },
      ],
    });
  });
}

/** Names of the request and response types, each once, in order of first use. */
export function messageTypes(operations: readonly Operation[]): string[] {
  const names = operations.flatMap(({ request, response }) =>
    response === null ? [request] : [request, response],
  );
  return [...new Set(names)];
}

function addVersion(file: SourceFile, { protocolVersion, service }: Spec): void {
  file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: ["Protocol version that these operations belong to."],
    declarations: [{ name: "protocolVersion", initializer: literal(protocolVersion) }],
  });
  if (service === undefined) return;
  file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: ["Full name of the gRPC service, whose methods have the names of the operations."],
    declarations: [{ name: "serviceName", initializer: literal(service) }],
  });
}

function addTypes(file: SourceFile, spec: Spec): void {
  const { operations } = spec;
  const withEnums = typesWithEnums(spec);
  file.addInterface({
    isExported: true,
    name: "OperationTypes",
    docs: [
      "Request, response and kind of every operation. `received` is the response as a caller receives it. A `response` of `null` is empty.",
    ],
    properties: operations.map(({ name, description, request, response, streaming }) => ({
      name,
      type: `{ request: ${request}; response: ${response}; received: ${receivedType(response, withEnums)}; streaming: ${streaming} }`,
      docs: [description],
    })),
  });
  file.addTypeAlias({
    isExported: true,
    name: "OperationName",
    type: "keyof OperationTypes",
    docs: ["Names of all operations."],
  });
  for (const [name, streaming] of [
    ["StreamingOperationName", true],
    ["UnaryOperationName", false],
  ] as const) {
    file.addTypeAlias({
      isExported: true,
      name,
      type: literalUnion(
        operations
          .filter((operation) => operation.streaming === streaming)
          .map((operation) => operation.name),
      ),
      docs: [`Names of the operations whose response is ${streaming ? "a stream" : "one value"}.`],
    });
  }
}

function addRow(file: SourceFile, responseName: string): void {
  file.addTypeAlias({
    name: "Verb",
    typeParameters: [{ name: "Path", constraint: "keyof paths" }],
    type: '{ [Name in "get" | "post" | "put" | "patch" | "delete"]: paths[Path] extends { [Method in Name]: object } ? Uppercase<Name> : never }["get" | "post" | "put" | "patch" | "delete"]',
  });
  file.addTypeAlias({
    isExported: true,
    name: "HttpRoute",
    docs: [
      "A route of the HTTP+JSON binding, as the OpenAPI document has it. Variables of the path are members of the request.",
    ],
    type: "{ [Path in keyof paths]: { readonly verb: Verb<Path>; readonly path: Path } }[keyof paths]",
  });
  file.addInterface({
    isExported: true,
    name: "Operation",
    typeParameters: [{ name: "Name", constraint: "OperationName", default: "OperationName" }],
    docs: ["One operation: a row of the table."],
    properties: [
      { name: "name", type: "Name" },
      { name: "method", type: "string", docs: ["JSON-RPC method."] },
      { name: "http", type: "readonly HttpRoute[]" },
      { name: "request", type: "MessageName" },
      { name: "response", type: `${responseName} | null`, docs: ["`null` when the response is empty."] },
      { name: "streaming", type: "boolean" },
      {
        name: "capability",
        type: "string | null",
        docs: ["Capability that the agent card must declare; `null` if the operation needs none."],
      },
    ].map((property) => ({ ...property, isReadonly: true })),
  });
}

function operationRow(operation: Operation): string {
  const { name, method, http, request, response, streaming, capability } = operation;
  const data = {
    name,
    method,
    http: http.map(({ verb, path }) => ({ verb, path })),
    request,
    response,
    streaming,
    capability,
  };
  const members = Object.entries(data).map(([member, value]) => `${member}: ${literal(value)}`);
  return lines(members, ["{", "}"]);
}

import { readdirSync } from "node:fs";
import type { Definition as CodegenDefinition } from "../../../codegen/import/contract.js";
import { groupsOf } from "../../../codegen/import/groups.js";
import { newestOf } from "../../../codegen/version-order.js";
import { type Facts, type FieldFacts, readSchema, type Shape } from "../../schema/read-contract.js";

const schemas = new URL("../../../schema", import.meta.url);
/** Versions that are checked in. */
const versions = readdirSync(schemas)
  .filter((name) => /^v\d/.test(name))
  .map((name) => name.slice(1));

/** The newest released version that is checked in. */
export const newestVersion = newestOf(versions) ?? "";
/** The minor version after it, which is not adopted yet. */
export const nextVersion = newestVersion.replace(/\d+$/, (minor) => `${Number(minor) + 1}`);
/** The first JSON-RPC code that no error of a version has. */
export const nextCode = freeCode();

function freeCode(): number {
  const errors = versions.flatMap((version) => readSchema(version).operations.errors);
  return Math.min(...errors.map(({ jsonRpcCode }) => jsonRpcCode).filter((code) => code > -32100)) - 1;
}

/** The facts that the checked-in schema of the newest version says, afresh. */
export function factsOfNewest(): Facts {
  const { schema, operations } = readSchema(newestVersion);
  const facts: Facts = { protocolVersion: newestVersion, messages: {}, enums: {}, methods: {} };
  for (const [name, definition] of Object.entries(schema.$defs)) {
    const { properties, required = [], enum: values, "x-enum-numbers": numbers } = definition;
    if (values !== undefined) {
      facts.enums[name] = Object.fromEntries(
        values.map((value, index) => [value, numbers?.[index] ?? index]),
      );
      continue;
    }
    const groups = groupsOf(definition as CodegenDefinition);
    const groupOf = (field: string) => groups.find(({ members }) => members.includes(field))?.name;
    const fields = Object.entries(properties ?? {}).map(([field, shape]): [string, FieldFacts] => [
      field,
      {
        ...fieldFacts(shape),
        ...(required.includes(field) && { required: true }),
        ...(groupOf(field) !== undefined && { oneof: groupOf(field) ?? "" }),
      },
    ]);
    facts.messages[name] = { fields: Object.fromEntries(fields) };
  }
  for (const { name, request, response, streaming, http } of operations.operations) {
    const routes = http.filter((route) => !("textOnly" in route));
    facts.methods[name] = {
      request,
      response: response ?? "empty",
      ...(streaming && { serverStreaming: true }),
      http: routes.map(({ verb, path }) => ({ verb, path, ...(/^P/.test(verb) && { body: "*" }) })),
    };
  }
  return facts;
}

function fieldFacts(shape: Shape): FieldFacts {
  const { items, additionalProperties, "x-number": number, "x-presence": presence, deprecated } = shape;
  return {
    ...(number !== undefined && { number }),
    type: typeOf(items ?? additionalProperties ?? shape),
    ...(items && { repeated: true }),
    ...(additionalProperties && { map: true, keyType: "string" }),
    ...(presence === "explicit" && { explicitPresence: true }),
    ...(deprecated && { deprecated: true }),
  };
}

const formats: Readonly<Record<string, string>> = { byte: "bytes", "date-time": "timestamp" };

function typeOf({ $ref, type, format, "x-type": any }: Shape): string {
  if (any !== undefined) return "any JSON value";
  const target = $ref?.split("/").at(-1);
  return target ?? formats[format ?? ""] ?? format ?? (type === "boolean" ? "bool" : (type ?? ""));
}

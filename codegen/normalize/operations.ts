import { bodyName } from "../body-name.js";
import type { LoadedFile } from "../load.js";
import { type Place, type Problem, rootPlace } from "../problems.js";
import { refusalCode } from "../refusal.js";
import { type ErrorRow, levels, type Operation, type Spec } from "../spec-model.js";
import { readErrors } from "./errors.js";
import {
  isObject,
  type JsonObject,
  readBoolean,
  readDescription,
  readNames,
  readObject,
  readString,
  reportDoubles,
} from "./members.js";
import { readRoute, routeShape } from "./route.js";
import type { SchemaFacts } from "./schema.js";

/** The content of `operations.json`. */
export interface OperationFacts {
  readonly protocolVersion: string;
  readonly service?: string;
  readonly operations: readonly Operation[];
  readonly commonErrors: readonly string[];
  readonly errors: readonly ErrorRow[];
  readonly levels?: NonNullable<Spec["levels"]>;
}

const documentMembers = ["protocolVersion", "service", "operations", "commonErrors", "errors", "levels"];
const operationMembers = [
  "name",
  "description",
  "method",
  "http",
  "request",
  "response",
  "streaming",
  "capability",
  "errors",
  "deprecated",
  "textOnly",
];
/** Package and name: `lf.a2a.v1.A2AService`. */
const serviceName = /^[a-z][\w]*(\.[a-z][\w]*)*\.[A-Z]\w*$/;
const operationName = /^[A-Z][A-Za-z0-9]*$/;
/** The message whose boolean members are the capabilities that an operation may need. */
const capabilitiesMessage = "AgentCapabilities";

/** Reads the operations document against the messages of the schema. */
export function readOperations(
  { file, content }: LoadedFile,
  schema: SchemaFacts,
  problems: Problem[],
): OperationFacts {
  const place = rootPlace(file, problems);
  const document = readObject(content, documentMembers, place);
  const errors = readErrors(document.errors, place.at("errors"));
  const codes = errors.map(({ code }) => code);
  const list = document.operations;
  if (!Array.isArray(list) || list.length === 0)
    place.at("operations").report("must list at least one operation");
  const operations = (Array.isArray(list) ? list : []).map((value: unknown, index) =>
    readOperation(value, { schema, codes }, place.at("operations", index)),
  );
  reportOperationDoubles(operations, place.at("operations"));
  if (errors.length > 0 && !codes.includes(refusalCode)) {
    place.at("errors").report(`lacks ${refusalCode}, the error for operations that are not implemented`);
  }
  const commonErrors = readNames(document, "commonErrors", place);
  reportUnknownCodes(commonErrors, codes, place.at("commonErrors"));
  return {
    protocolVersion: readString(document, "protocolVersion", place),
    ...(document.service !== undefined && { service: readService(document, schema, place) }),
    operations,
    commonErrors,
    errors,
    ...(document.levels !== undefined && { levels: readLevels(document.levels, place.at("levels")) }),
  };
}

/** Reads the requirement levels of additions, by the names in the table of decisions. */
function readLevels(value: unknown, place: Place): NonNullable<Spec["levels"]> {
  const names = isObject(value) ? value : {};
  if (!isObject(value)) place.report("must be an object");
  const entries = Object.entries(names).flatMap(([name, said]) => {
    const level = levels.find((known) => known === said);
    if (level === undefined) place.at(name).report(`must be one of ${levels.join(", ")}`);
    return level === undefined ? [] : [[name, level] as const];
  });
  return new Map(entries);
}

/** Reads the name of the gRPC service. Its messages are those of the schema, so each of their members needs a number. */
function readService(document: JsonObject, { messages, unions }: SchemaFacts, place: Place): string {
  const isNumbered = messages.every(({ fields }) => fields.every(({ number }) => number !== undefined));
  if (!isNumbered || unions.length > 0) {
    place.at("service").report("needs a schema with field numbers and without unions");
  }
  return readString(document, "service", place, serviceName);
}

interface Known {
  readonly schema: SchemaFacts;
  readonly codes: readonly string[];
}

function readOperation(value: unknown, { schema, codes }: Known, place: Place): Operation {
  const members = readObject(value, operationMembers, place);
  readBoolean(members, "textOnly", place);
  const deprecated = readBoolean(members, "deprecated", place);
  const request = readString(members, "request", place);
  const requestMessage = schema.messages.find(({ name }) => name === request);
  if (request !== "" && requestMessage === undefined) {
    place.at("request").report(`"${request}" is not a message of the schema`);
  }
  const name = readString(members, "name", place, operationName);
  if (schema.messages.some((message) => message.name === bodyName(name))) {
    place.at("name").report(`needs the name ${bodyName(name)}, which the schema defines`);
  }
  const routes = members.http;
  if (!Array.isArray(routes)) place.at("http").report("must be a list of routes");
  const errors = readNames(members, "errors", place);
  reportUnknownCodes(errors, codes, place.at("errors"));
  return {
    name,
    description: readDescription(members, place),
    method: readString(members, "method", place),
    http: (Array.isArray(routes) ? routes : []).map((route: unknown, index) =>
      readRoute(route, requestMessage, place.at("http", index)),
    ),
    request,
    response: readResponse(members, schema, place),
    streaming: readBoolean(members, "streaming", place),
    capability: readCapability(members, schema, place),
    errors,
    ...(deprecated && { deprecated }),
  };
}

function readResponse(members: JsonObject, schema: SchemaFacts, place: Place): string | null {
  if (members.response === null) {
    if (members.streaming === true) place.at("response").report("a stream needs a response type");
    return null;
  }
  const response = readString(members, "response", place);
  if (response !== "" && !schema.names.includes(response)) {
    place.at("response").report(`"${response}" is not a message of the schema`);
  }
  return response;
}

function readCapability(members: JsonObject, schema: SchemaFacts, place: Place): string | null {
  if (members.capability === null) return null;
  const capability = readString(members, "capability", place);
  const capabilities = schema.messages.find(({ name }) => name === capabilitiesMessage)?.fields ?? [];
  const field = capabilities.find(({ name }) => name === capability);
  if (capability !== "" && (field?.kind !== "bool" || field.container !== "single")) {
    place.at("capability").report(`"${capability}" is not a boolean member of ${capabilitiesMessage}`);
  }
  return capability;
}

function reportUnknownCodes(listed: readonly string[], codes: readonly string[], place: Place): void {
  listed.forEach((code, index) => {
    if (!codes.includes(code)) place.at(index).report(`"${code}" is not a code of the error table`);
  });
}

function reportOperationDoubles(operations: readonly Operation[], place: Place): void {
  reportDoubles(
    operations.map(({ name }) => name.toLowerCase()),
    "name",
    (index) => place.at(index, "name"),
  );
  reportDoubles(
    operations.map(({ method }) => method),
    "method",
    (index) => place.at(index, "method"),
  );
  const routes = operations.flatMap(({ http }, operation) =>
    http.map((route, index) => ({ shape: routeShape(route), place: place.at(operation, "http", index) })),
  );
  reportDoubles(
    routes.map(({ shape }) => shape),
    "route",
    (index) => routes[index]?.place ?? place,
  );
}

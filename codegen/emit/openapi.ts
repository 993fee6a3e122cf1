import type { Spec } from "../spec-model.js";
import { componentSchemas, type JsonSchema } from "./component-schemas.js";
import { defaultErrorResponse, errorSchemas } from "./error-schemas.js";
import { extensionsHeader, restOperation, routeBody, tag } from "./rest-operations.js";

/** `openapi.json`: the HTTP+JSON binding as an OpenAPI 3.1 document. */
export function emitOpenapi(spec: Spec): string {
  return `${JSON.stringify(openapiDocument(spec), undefined, 2)}\n`;
}

function openapiDocument(spec: Spec): JsonSchema {
  return {
    openapi: "3.1.0",
    info: {
      title: `${spec.title}, HTTP+JSON binding`,
      version: spec.protocolVersion,
      description: [
        `The operations of ${spec.title} over HTTP with JSON bodies.`,
        "Paths are relative to the URL of the agent interface.",
        ...(hasTenants(spec) ? ["Each path also exists below a tenant."] : []),
        "The agent card lists the security schemes.",
        `Generated from ${spec.origin?.file ?? `schema/${spec.folder}`}.`,
      ].join(" "),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The agent interface." }],
    security: [],
    tags: tags(spec),
    paths: paths(spec),
    components: {
      schemas: schemas(spec),
      responses: { Error: defaultErrorResponse() },
      parameters: headerParameters(spec),
    },
  };
}

function hasTenants({ operations }: Spec): boolean {
  return operations.some(({ http }) => http.some(({ variables }) => variables.includes("tenant")));
}

function tags({ operations }: Spec): JsonSchema[] {
  const names = [...new Set(operations.map(tag))];
  return names.map((name) => ({
    name,
    description: `Operations on \`${name}\`: ${operations
      .filter((operation) => tag(operation) === name)
      .map((operation) => operation.name)
      .join(", ")}.`,
  }));
}

function paths(spec: Spec): JsonSchema {
  const items: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of spec.operations) {
    for (const route of operation.http) {
      items[route.path] = {
        ...items[route.path],
        [route.verb.toLowerCase()]: restOperation(spec, operation, route),
      };
    }
  }
  return items;
}

/** Types that a body or a response names, bodies that the path has cut, and the error body. */
function schemas(spec: Spec): JsonSchema {
  const roots = new Set<string>();
  const cut: Record<string, JsonSchema> = {};
  for (const operation of spec.operations) {
    if (operation.response !== null) roots.add(operation.response);
    for (const route of operation.http) {
      const body = routeBody(spec, operation, route);
      if (body?.component) cut[body.component.name] = body.component.schema;
      if (body && !body.component) roots.add(operation.request);
    }
  }
  for (const name of parameterTypes(spec)) roots.add(name);
  return { ...componentSchemas(spec, [...roots]), ...cut, ...errorSchemas(spec) };
}

/** Types of the members of requests: enums among the query parameters, and what a cut body refers to. */
function parameterTypes({ operations, messages }: Spec): string[] {
  const requests = messages.filter(({ name }) => operations.some(({ request }) => request === name));
  return requests.flatMap(({ fields }) => fields.flatMap(({ type }) => type ?? []));
}

function headerParameters(spec: Spec): JsonSchema {
  const { protocolVersion } = spec;
  const extensions = extensionsHeader(spec);
  return {
    "A2A-Version": {
      name: "A2A-Version",
      in: "header",
      description: "Protocol version of the request, major and minor. Absent means 0.3.",
      required: false,
      schema: { type: "string", examples: [protocolVersion] },
    },
    [extensions]: {
      name: extensions,
      in: "header",
      description: "URIs of the extensions that the caller wants to use, separated by commas.",
      required: false,
      schema: { type: "string" },
    },
  };
}

import { bodyName } from "../body-name.js";
import { bodyOf } from "../normalize/route.js";
import type { Field, HttpRoute, Message, Operation, Spec } from "../spec-model.js";
import { majorOf } from "../version-order.js";
import { componentReference, fieldSchema, type JsonSchema, messageSchema } from "./component-schemas.js";
import { errorResponses, mediaTypes } from "./error-schemas.js";

const tenantMember = "tenant";

/** Body of an operation on its route: nothing, the request itself, or its members that are not in the path. */
export interface RouteBody {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Component with the members that are not in the path; absent if the body is the whole request. */
  readonly component?: { readonly name: string; readonly schema: JsonSchema };
}

/** Header that names extensions. Versions before 1.0 have another one. */
export function extensionsHeader({ protocolVersion }: Spec): string {
  return majorOf(protocolVersion) === "0" ? "X-A2A-Extensions" : "A2A-Extensions";
}

/** The OpenAPI operation object of one route. */
export function restOperation(spec: Spec, operation: Operation, route: HttpRoute): JsonSchema {
  const request = requestMessage(spec, operation);
  const body = routeBody(spec, operation, route);
  return {
    operationId: operationId(operation, route),
    summary: summary(operation, route),
    description: description(operation),
    tags: [tag(operation)],
    parameters: [
      ...request.fields.flatMap((field) => parameter(field, route)),
      { $ref: "#/components/parameters/A2A-Version" },
      { $ref: `#/components/parameters/${extensionsHeader(spec)}` },
    ],
    ...(operation.deprecated && { deprecated: true }),
    ...(body && { requestBody: { required: body.required, content: content(body.schema) } }),
    responses: {
      200: successResponse(operation),
      ...errorResponses(operation, spec.errors),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

/** The body of a route; undefined if it has none. */
export function routeBody(spec: Spec, operation: Operation, route: HttpRoute): RouteBody | undefined {
  const { variables } = route;
  const held = bodyOf(route);
  if (held === "") return undefined;
  const request = requestMessage(spec, operation);
  const member = request.fields.find(({ name }) => name === held);
  if (member?.type !== undefined)
    return { schema: componentReference(member.type), required: member.required };
  const bound = variables.filter((name) => name !== tenantMember);
  const rest = request.fields.filter(({ name }) => !bound.includes(name));
  if (rest.every(({ name }) => name === tenantMember)) return undefined;
  const required = rest.some((field) => field.required) || request.oneofs.some((group) => group.required);
  if (!request.fields.some((field) => field.required && bound.includes(field.name))) {
    return { schema: componentReference(request.name), required };
  }
  const name = bodyName(operation.name);
  const text = `Body of ${operation.name}: ${request.name} without the members that are in the path.`;
  const schema = messageSchema({ ...request, description: text, fields: rest });
  return { schema: componentReference(name), required, component: { name, schema } };
}

/** The tag of an operation: the fixed word of its first route that tells the resource. */
export function tag({ http }: Operation): string {
  const words = (http[0]?.path ?? "")
    .split("/")
    .filter((segment) => segment !== "" && !segment.startsWith("{"));
  return words.at(-1)?.split(":")[0] ?? "operations";
}

function requestMessage({ messages }: Spec, { request }: Operation): Message {
  const message = messages.find(({ name }) => name === request);
  if (message === undefined) throw new Error(`no message ${request}`);
  return message;
}

/** The first verb of an operation gives the plain identifier; other verbs and tenant routes add to it. */
function operationId({ name, http }: Operation, { verb, variables }: HttpRoute): string {
  const other = verb === http[0]?.verb ? "" : `By${verb.charAt(0)}${verb.slice(1).toLowerCase()}`;
  return `${name}${other}${variables.includes(tenantMember) ? "ForTenant" : ""}`;
}

function summary({ name }: Operation, { variables }: HttpRoute): string {
  const [first = "", ...rest] = name.split(/(?=[A-Z])/);
  const words = [first, ...rest.map((word) => word.toLowerCase())].join(" ");
  return variables.includes(tenantMember) ? `${words} for a tenant` : words;
}

function description({ description: text, capability }: Operation): string {
  return capability === null ? text : `${text}\n\nNeeds the capability \`${capability}\`.`;
}

/** Path variables are path parameters; without a body the other members are query parameters. */
function parameter(field: Field, route: HttpRoute): JsonSchema[] {
  const inPath = route.variables.includes(field.name);
  const body = bodyOf(route);
  if (!inPath && (body === "*" || body === field.name || field.kind === "struct")) return [];
  return (route.pieces?.get(field.name) ?? [field.name]).map((name) => {
    return {
      name,
      in: inPath ? "path" : "query",
      description: field.description,
      required: inPath || field.required,
      ...(field.deprecated && { deprecated: true }),
      schema: fieldSchema(field),
    };
  });
}

function successResponse({ response, streaming }: Operation): JsonSchema {
  if (response === null)
    return { description: "Success, with an empty object.", content: content({ type: "object" }) };
  if (!streaming) return { description: `The ${response}.`, content: content(componentReference(response)) };
  return {
    description: `A stream of server-sent events. The data of each event is one ${response} in JSON.`,
    content: { "text/event-stream": { schema: componentReference(response) } },
  };
}

function content(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

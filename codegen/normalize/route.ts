import type { Place } from "../problems.js";
import type { Field, HttpRoute, HttpVerb, Message } from "../spec-model.js";
import { readBoolean, readObject, readString } from "./members.js";

const verbs: readonly HttpVerb[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Verbs whose requests have no body: members that are not in the path are in the query. */
const bodiless: readonly HttpVerb[] = ["GET", "DELETE"];
const segment = /^(\{[a-z][A-Za-z0-9]*\}|[A-Za-z0-9._-]+)(:[a-z]+)?$/;
const variable = /\{([^}=]*)(?:=([^}]*))?\}/g;
const numbers: readonly Field["kind"][] = ["int32", "uint32", "int64", "uint64", "double"];
const urlKinds: readonly Field["kind"][] = ["string", "bool", ...numbers, "timestamp", "enum"];

/**
 * Reads one HTTP route of an operation. Imports use the mark `textOnly` of routes that are only in the text of the specification.
 * @param request the request of the operation; undefined if it is unknown
 */
export function readRoute(value: unknown, request: Message | undefined, place: Place): HttpRoute {
  const route = readObject(value, ["verb", "path", "body", "textOnly"], place);
  readBoolean(route, "textOnly", place);
  const verb = verbs.find((known) => known === route.verb);
  if (verb === undefined) place.at("verb").report(`must be one of ${verbs.join(", ")}`);
  const template = readString(route, "path", place);
  const variables = [...template.matchAll(variable)].map(([, name]) => name ?? "");
  const { path, pieces } = expand(template);
  const segments = path.split("/").slice(1);
  if (path !== "" && (!path.startsWith("/") || !segments.every((part) => segment.test(part)))) {
    place.at("path").report(`"${template}" is not a path template such as /tasks/{id}:cancel`);
  }
  const body = route.body === undefined ? undefined : readBody(route.body, request, place.at("body"));
  const result: HttpRoute = {
    verb: verb ?? "POST",
    path,
    variables,
    ...(pieces.size > 0 && { pieces }),
    ...(body !== undefined && { body }),
  };
  if (request !== undefined) reportUnboundMembers(result, request, place);
  return result;
}

/** Expands a variable that covers several segments (`{name=tasks/*}`) to these segments, with one variable for each wildcard. */
function expand(template: string): {
  readonly path: string;
  readonly pieces: Map<string, readonly string[]>;
} {
  const pieces = new Map<string, readonly string[]>();
  const path = template.replaceAll(variable, (whole, name: string, pattern?: string) => {
    // A name without a pattern is one segment.
    if (pattern === undefined) return `{${name}}`;
    if (!pattern.includes("/")) return whole;
    const parts: string[] = pattern.split("/");
    const count = parts.filter((part) => part === "*").length;
    const names = Array.from({ length: count }, (_, index) =>
      index === count - 1 ? name : `${name}${index + 1}`,
    );
    pieces.set(name, names);
    const left = [...names];
    return parts.map((part) => (part === "*" ? `{${left.shift()}}` : part)).join("/");
  });
  return { path, pieces };
}

/** Reads the content of the body, if it is not what the verb implies. */
function readBody(value: unknown, request: Message | undefined, place: Place): string {
  const field = request?.fields.find(({ name }) => name === value);
  const isMember = field?.kind === "message" && field.container === "single";
  if (value === "*" || value === "" || (isMember && typeof value === "string")) return value;
  if (request !== undefined) place.report(`must be "*", "" or a single message of ${request.name}`);
  return "*";
}

/** Content of the body of a route: a member of the request, `*` for all members that are not in the path, or `""` for none. */
export function bodyOf({ verb, body }: HttpRoute): string {
  return body ?? (bodiless.includes(verb) ? "" : "*");
}

/** The template without the names of variables: routes that differ only in these names are the same route. */
export function routeShape({ verb, path }: HttpRoute): string {
  return path === "" ? "" : `${verb} ${path.replaceAll(variable, "{}")}`;
}

function reportUnboundMembers(route: HttpRoute, request: Message, place: Place): void {
  const { verb, variables } = route;
  for (const [index, name] of variables.entries()) {
    const field = request.fields.find((member) => member.name === name);
    if (field === undefined) {
      place.at("path").report(`path variable "${name}" is not a member of ${request.name}`);
    } else if (field.container !== "single" || field.kind !== "string") {
      place.at("path").report(`path variable "${name}" is not a single string in ${request.name}`);
    }
    if (variables.indexOf(name) < index) place.at("path").report(`path variable "${name}" is used twice`);
  }
  const body = bodyOf(route);
  if (body === "*") return;
  for (const { name, kind, container, required } of request.fields) {
    if (name === body) continue;
    // An optional free object is not a parameter of such a route.
    if (kind === "struct" && container === "single" && !required) continue;
    if (!variables.includes(name) && (container === "map" || !urlKinds.includes(kind))) {
      place.at("verb").report(`member "${name}" of ${request.name} cannot be a query parameter of ${verb}`);
    }
  }
}

import type { Place } from "../problems.js";
import type { Field, HttpRoute, HttpVerb, Message } from "../spec-model.js";
import { readBoolean, readObject, readString } from "./members.js";

const verbs: readonly HttpVerb[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Verbs whose requests have no body: what is not in the path is in the query. */
const bodiless: readonly HttpVerb[] = ["GET", "DELETE"];
const segment = /^(\{[a-z][A-Za-z0-9]*\}|[A-Za-z0-9._-]+)(:[a-z]+)?$/;
const variable = /\{([^}]*)\}/g;
const numbers: readonly Field["kind"][] = ["int32", "uint32", "int64", "uint64", "double"];
const urlKinds: readonly Field["kind"][] = ["string", "bool", ...numbers, "timestamp", "enum"];

/**
 * Reads one HTTP route of an operation whose request is `request` (absent when that is itself unknown). `textOnly` marks a
 * route that only the text of the specification has; it is for imports.
 */
export function readRoute(value: unknown, request: Message | undefined, place: Place): HttpRoute {
  const route = readObject(value, ["verb", "path", "textOnly"], place);
  readBoolean(route, "textOnly", place);
  const verb = verbs.find((known) => known === route.verb);
  if (verb === undefined) place.at("verb").report(`must be one of ${verbs.join(", ")}`);
  const path = readString(route, "path", place);
  const segments = path.split("/").slice(1);
  if (path !== "" && (!path.startsWith("/") || !segments.every((part) => segment.test(part)))) {
    place.at("path").report(`"${path}" is not a path template such as /tasks/{id}:cancel`);
  }
  const variables = [...path.matchAll(variable)].map(([, name]) => name ?? "");
  const result: HttpRoute = { verb: verb ?? "POST", path, variables };
  if (request !== undefined) reportUnboundMembers(result, request, place);
  return result;
}

/** Template with the variable names taken out: two routes that differ only in names are the same route. */
export function routeShape({ verb, path }: HttpRoute): string {
  return path === "" ? "" : `${verb} ${path.replaceAll(variable, "{}")}`;
}

function reportUnboundMembers({ verb, variables }: HttpRoute, request: Message, place: Place): void {
  for (const [index, name] of variables.entries()) {
    const field = request.fields.find((member) => member.name === name);
    if (field === undefined) {
      place.at("path").report(`path variable "${name}" is not a member of ${request.name}`);
    } else if (field.container !== "single" || field.kind !== "string") {
      place.at("path").report(`path variable "${name}" is not a single string in ${request.name}`);
    }
    if (variables.indexOf(name) < index) place.at("path").report(`path variable "${name}" is used twice`);
  }
  if (!bodiless.includes(verb)) return;
  for (const { name, kind, container, required } of request.fields) {
    // An optional free object is left out of such a route.
    if (kind === "struct" && container === "single" && !required) continue;
    if (!variables.includes(name) && (container === "map" || !urlKinds.includes(kind))) {
      place.at("verb").report(`member "${name}" of ${request.name} cannot be a query parameter of ${verb}`);
    }
  }
}

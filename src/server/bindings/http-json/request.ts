import { isJsonObject } from "../../../json/json-text.js";
import { clientError, invalidParams } from "../../../protocol/errors.js";
import type { Codec, WireRoute } from "../../../versions/codec.js";
import { snakeCase } from "../../../versions/proto-json.js";
import { type Arrival, lastValue } from "../arrival.js";
import type { Bounds } from "../bounds.js";
import type { HttpRequest } from "../http.js";
import { parseBody } from "../parse-body.js";
import { chooseCodec } from "../version.js";
import { readQuery } from "./query.js";
import { findPlace, type Place } from "./routes.js";

/** Characters of a tenant that are logged. */
const LOGGED = 100;

/** Verbs whose requests carry their members in path and query (RESTQ-01). */
const BODILESS: ReadonlySet<string> = new Set(["GET", "DELETE"]);

/** Whether the request carries a body that will be read, also one that the adapter did not think worth reading. */
export function carriesBody({ method, headers, body }: HttpRequest): boolean {
  if (BODILESS.has(method)) return false;
  return Boolean(body) || Number(headers["content-length"] ?? 0) > 0 || "transfer-encoding" in headers;
}

/**
 * The operation's request as a JSON object: body, else query, and over it the values of the path (REST-08).
 * @throws A2AError PARSE_ERROR, INVALID_REQUEST when the body is no object, INVALID_PARAMS for a broken path
 */
export function readRequest({ request, agent, query }: Arrival, route: WireRoute, place: Place): object {
  const value = BODILESS.has(request.method)
    ? readQuery(query, route.fields)
    : readBody(request, agent.bounds);
  for (const name of route.besideBody ?? []) {
    value[name] ??= lastValue(query, name) ?? lastValue(query, snakeCase(name));
  }
  for (const [name, text] of Object.entries(place.variables)) {
    const member = decode(name, text);
    if (name === "tenant" && value[name] && value[name] !== member) {
      agent.logger.warn(
        { path: loggable(member), given: loggable(value[name]) },
        "Two tenants in one request; that of the path counts",
      );
    }
    value[name] = member;
  }
  return value;
}

/** A place, and the version that has it. */
export interface ChosenPlace {
  readonly codec: Codec;
  readonly place: Place;
}

/**
 * The version that a request is made in, and its place there.
 * @throws A2AError METHOD_NOT_FOUND, VERSION_NOT_SUPPORTED
 */
export function choosePlace(arrival: Arrival): ChosenPlace {
  const { agent, request } = arrival;
  const places = new Map<Codec, Place>();
  for (const one of agent.codecs.values()) {
    const place = findPlace(request.path, one);
    if (place !== undefined) places.set(one, place);
  }
  const codec = places.size > 0 ? chooseCodec(arrival, (one) => places.has(one)) : undefined;
  const place = codec && places.get(codec);
  if (codec === undefined || place === undefined) {
    throw clientError("METHOD_NOT_FOUND", "There is no such route");
  }
  return { codec, place };
}

/** An empty body is an object without members (REST-05); what the operation misses in it, its parameters say. */
function readBody(request: HttpRequest, bounds: Bounds | undefined): Record<string, unknown> {
  if (!request.body) return {};
  const value = parseBody(request, bounds);
  if (!isJsonObject(value))
    throw clientError("INVALID_REQUEST", "Invalid request: the body must be a JSON object");
  return value;
}

/** What of a member goes into a log: its beginning, or its type where it is no text. */
function loggable(member: unknown): string {
  return typeof member === "string" ? member.slice(0, LOGGED) : typeof member;
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidParams(name, "must be percent-encoded UTF-8 in the path");
  }
}

import { writeJson } from "../../../json/json-text.js";
import type { HttpRoute } from "../../../versions/client-codec.js";
import { ClientError } from "../../client-error.js";
import type { HttpCall, WireRequest } from "../transport.js";

const JSON_TYPE = "application/json";

/** Methods without a body. All members are in path and query (§11.5). */
const BODILESS: readonly string[] = ["GET", "DELETE"];

/** A path segment that URL normalization removes. Dots in ids are not percent-encoded. */
const DOTS = /^\.{1,2}$/;

/**
 * A call as HTTP requests: one for each route that it can use, then one more for each if some agents expect another body. A tenant is sent
 * in the path only (§8.3.2): calls with a tenant use the routes that contain it, calls without use the others.
 * @throws ClientError INVALID_REQUEST for an operation without such a route, for an id that is missing, and for an id or tenant that cannot
 * be part of a URL
 */
export function write(request: WireRequest): readonly [HttpCall, ...HttpCall[]] {
  const { wire, tenant } = request;
  const routes = wire.http.filter(({ path }) => path.startsWith("/{tenant}/") === (tenant !== undefined));
  const requests = wire.inner === undefined ? [request] : [request, flattened(request, wire.inner)];
  const [first, ...others] = requests.flatMap((one) => routes.map((route) => callOn(route, one)));
  if (first === undefined)
    throw invalid("", `needs a route for ${request.operation}, which this version does not have`);
  return [first, ...others];
}

/** The request with the members of its member `inner` in place of that member. */
function flattened(request: WireRequest, inner: string): WireRequest {
  const { [inner]: member, ...rest } = request.value as Record<string, unknown>;
  return { ...request, value: { ...rest, ...(member as object) } };
}

function callOn({ verb, path }: HttpRoute, request: WireRequest): HttpCall {
  const { value, tenant, url, streaming, codec } = request;
  const type = codec.conventions.mediaType;
  const accepted = [...new Set([type, JSON_TYPE])].join(", ");
  const members: Record<string, unknown> = { ...value, ...(tenant !== undefined && { tenant }) };
  const bound = new URL(url);
  bound.pathname = bound.pathname.replace(/\/$/, "") + bind(path, members);
  const headers = { Accept: streaming ? `text/event-stream, ${accepted}` : accepted };
  if (!BODILESS.includes(verb)) {
    return {
      method: verb,
      url: bound,
      headers: { ...headers, "Content-Type": type },
      body: writeJson(members),
    };
  }
  for (const [name, member] of Object.entries(members)) {
    for (const one of [member].flat())
      if (one !== undefined && one !== "") bound.searchParams.append(name, String(one));
  }
  return { method: verb, url: bound, headers };
}

/**
 * Fills the variables of a path with percent-encoded members (§11.5), and deletes these from `members`.
 * @throws ClientError INVALID_REQUEST
 */
function bind(path: string, members: Record<string, unknown>): string {
  const bound = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const member = members[name];
    if (typeof member !== "string" || member === "") throw invalid(name, "is required");
    delete members[name];
    return encode(name, member);
  });
  if (bound.split("/").some((segment) => DOTS.test(segment)))
    throw invalid("", 'must not have "." or ".." as an id or tenant');
  return bound;
}

function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalid(name, "must be well-formed Unicode");
  }
}

function invalid(field: string, expected: string): ClientError {
  const message = `The request cannot be sent: ${field === "" ? "it" : field} ${expected}`;
  return new ClientError("INVALID_REQUEST", message, { field, expected });
}

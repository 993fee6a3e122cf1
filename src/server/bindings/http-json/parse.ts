import { isJsonObject } from "../../../json/json-text.js";
import { clientError, invalidParams } from "../../../protocol/errors.js";
import type { Codec, WireRoute } from "../../../versions/codec.js";
import { snakeCase } from "../../../versions/proto-json.js";
import type { Bounds } from "../../bounds.js";
import type { HostRequest } from "../../host.js";
import { lastValue, OperationRequest } from "../../operation-request.js";
import { A2A_JSON_TYPE, isJson } from "../media-type.js";
import { parseBody } from "../parse-body.js";
import { readQuery } from "./query.js";
import { findPlace, type Place } from "./routes.js";

/** Maximum number of characters of a tenant in a log line. */
const LOGGED = 100;

/** HTTP methods without a body: the members of the request are in path and query (§11.5). */
const BODILESS: ReadonlySet<string> = new Set(["GET", "DELETE"]);

/** A request to a route (§11.3). */
export class HttpJsonRequest extends OperationRequest {
  readonly #places = new Map<Codec, Place | undefined>();

  override parse(): void {
    for (const codec of this.agent.codecs.values()) if (this.isIn(codec)) return;
    throw noRoute();
  }

  override isIn(codec: Codec): boolean {
    return this.#placeIn(codec) !== undefined;
  }

  override readIn(codec: Codec): void {
    const { host } = this;
    const place = this.#placeIn(codec);
    if (place === undefined) throw noRoute();
    const route = place.verbs.get(host.method);
    if (route === undefined) {
      const allow = [...place.verbs.keys()].join(", ");
      this.status = { code: 405, name: "UNIMPLEMENTED" };
      this.headers = { Allow: allow };
      throw clientError("METHOD_NOT_FOUND", `This route takes ${allow}`);
    }
    this.operation = route.operation;
    if (!isJson(host.headers["content-type"]) && carriesBody(host)) {
      throw clientError("CONTENT_TYPE_NOT_SUPPORTED", `Send the request as ${A2A_JSON_TYPE}`);
    }
    this.value = this.#valueAt(place, route);
  }

  #placeIn(codec: Codec): Place | undefined {
    if (!this.#places.has(codec)) this.#places.set(codec, findPlace(this.host.path, codec));
    return this.#places.get(codec);
  }

  /**
   * The operation's request as a JSON object: the members of the body, or for GET and DELETE those of the query. Values in the path come
   * first.
   * @throws A2AError PARSE_ERROR; INVALID_REQUEST when the body is not an object; INVALID_PARAMS for invalid percent-encoding in the path
   */
  #valueAt(place: Place, route: WireRoute): object {
    const { host, agent, query } = this;
    const value = BODILESS.has(host.method) ? readQuery(query, route.fields) : readBody(host, agent.bounds);
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
}

function noRoute(): Error {
  return clientError("METHOD_NOT_FOUND", "There is no such route");
}

/** Whether the request has a body, even if the host has not read it because of its media type. */
function carriesBody({ method, headers, body }: HostRequest): boolean {
  if (BODILESS.has(method)) return false;
  return Boolean(body) || Number(headers["content-length"] ?? 0) > 0 || "transfer-encoding" in headers;
}

/** The body as an object. An empty body is an empty object; the validator reports missing members. */
function readBody(host: HostRequest, bounds: Bounds | undefined): Record<string, unknown> {
  if (!host.body) return {};
  const value = parseBody(host, bounds);
  if (!isJsonObject(value))
    throw clientError("INVALID_REQUEST", "Invalid request: the body must be a JSON object");
  return value;
}

/** The loggable part of a member: its beginning, or its type if it is not a string. */
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

import type { HttpRequest } from "./http.js";
import type { ServedAgent } from "./served-agent.js";

/** A request at the door of an agent. */
export interface Arrival {
  readonly request: HttpRequest;
  readonly agent: ServedAgent;
  /** Parsed query of the request. */
  readonly query: URLSearchParams;
}

/** Takes a request in. */
export function arrive(request: HttpRequest, agent: ServedAgent): Arrival {
  return { request, agent, query: request.query === "" ? noQuery : new URLSearchParams(request.query) };
}

const noQuery = new URLSearchParams();

/** Value of a query parameter that has one: of a repeated one the last counts (RESTQ-09), an empty one is absent (RESTQ-08). */
export function lastValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1) || undefined;
}

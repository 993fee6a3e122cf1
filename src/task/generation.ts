import type { StreamResponse } from "../model.js";

/** A symbol keeps the number out of JSON and of every list of keys; `Symbol.for` lets two copies of the package agree on it. */
const GENERATION = Symbol.for("a2a-parley.generation");

/**
 * Notes on an event which generation of its task it is, for whoever sends it on (the `id:` of an SSE frame). Nothing that
 * reads or copies the event's members sees the note.
 *
 * @returns the event itself, so that all its readers share one object; a copy of it when it is frozen or already carries
 * the number of another log
 */
export function tag(event: StreamResponse, generation: number): StreamResponse {
  const known = generationOf(event);
  if (known === generation) return event;
  const open = known === undefined && Object.isExtensible(event) ? event : { ...event };
  return Object.defineProperty(open, GENERATION, { value: generation });
}

/** The generation noted on an event; undefined for one that comes from no log, as those of hand-made handlers. */
export function generationOf(event: StreamResponse): number | undefined {
  return (event as { readonly [GENERATION]?: number })[GENERATION];
}

import type { ErrorCode } from "../protocol/errors.js";

/** How strongly the protocol asks for something (RFC 2119). */
export type Level = "MUST" | "SHOULD" | "MAY";

/** What the library does about something that came new in a version of the protocol. */
export type VersionDecision =
  | { readonly is: "implemented" }
  /** Read or left out without an effect. The reason is for reviewers; the level is what the protocol says of it. */
  | { readonly is: "ignored"; readonly reason: string; readonly level: Level }
  /** A request with it is answered with this error. */
  | { readonly is: "refused"; readonly code: ErrorCode };

/** The library does what the protocol says. */
export const implemented = { is: "implemented" } as const satisfies VersionDecision;

/** What the importer writes for everything new. It is not a {@link VersionDecision}, so a table that still has it does not compile. */
export const undecided = { is: "undecided" } as const;

/** The kinds of additions that need a decision, because they mean behaviour. */
type Kind = "requestMembers" | "responseMembers" | "errors" | "operations";

/** The decisions about everything that a version has added, by the generated list. A missing or superfluous one does not compile. */
export type DecisionsOn<Additions extends Readonly<Record<Kind, readonly string[]>>> = {
  readonly [K in Kind]: Readonly<Record<Additions[K][number], VersionDecision>>;
};

/** The decisions of any version, as far as they are made. */
export type DecisionTable = Readonly<
  Record<Kind, Readonly<Record<string, VersionDecision | typeof undecided>>>
>;

/**
 * Whether a version may be listed in cards: each row is decided, and nothing is ignored that the protocol calls a MUST. A version that may
 * not be listed is served to callers only if the options of the server name it.
 */
export function isListable(table: DecisionTable): boolean {
  return Object.values(table).every((rows) => Object.values(rows).every(isSettled));
}

function isSettled(decision: VersionDecision | typeof undecided): boolean {
  return decision.is !== "undecided" && !(decision.is === "ignored" && decision.level === "MUST");
}

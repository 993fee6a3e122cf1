import type { ErrorCode } from "../protocol/errors.js";

/** How strongly the protocol asks for something (RFC 2119). */
export type Level = "MUST" | "SHOULD" | "MAY";

/** What the library does about an addition in a version of the protocol. */
export type VersionDecision<Said extends Level = Level> =
  | { readonly is: "implemented" }
  /** The library does not act on it. The reason is for reviewers; the level is how strongly the protocol asks for it. */
  | { readonly is: "ignored"; readonly reason: string; readonly level: Said }
  /** A request with it is refused with this error. The row only records this: the refusal needs code. */
  | { readonly is: "refused"; readonly code: ErrorCode };

/** The library does what the protocol says. */
export const implemented = { is: "implemented" } as const satisfies VersionDecision;

/**
 * What the importer writes for an addition without a decision. It is not a {@link VersionDecision}, so a table that still has it does not
 * compile.
 */
export const undecided = { is: "undecided" } as const;

/** The kinds of additions that need a decision, because they change behaviour. */
type Kind = "requestMembers" | "responseMembers" | "errors" | "operations";

/** The additions of a version that need a decision, with the levels that the importer found in the text of the specification. */
interface Additions extends Readonly<Record<Kind, readonly string[]>> {
  readonly levels?: Readonly<Record<string, Level>>;
}

/** The level of a name, if the text states one; otherwise any level. */
type LevelOf<Added extends Additions, Name> = Added extends { readonly levels: infer Levels }
  ? Name extends keyof Levels
    ? Levels[Name] & Level
    : Level
  : Level;

/**
 * The type of the decisions about the additions of a version, from the generated list. A missing or superfluous decision does not compile,
 * nor does a level other than the one in the text.
 */
export type DecisionsOn<Added extends Additions> = {
  readonly [K in Kind]: [Added[K][number]] extends [never]
    ? Readonly<Record<string, never>>
    : { readonly [Name in Added[K][number]]: VersionDecision<LevelOf<Added, Name>> };
};

/** The decisions of any version. Some may not have been made. */
export type DecisionTable = Readonly<
  Record<Kind, Readonly<Record<string, VersionDecision | typeof undecided>>>
>;

/**
 * Whether a version may be listed in cards: every addition is decided, and no ignored addition is a MUST of the protocol. A version that
 * may not be listed is not served by default.
 */
export function isListable(table: DecisionTable): boolean {
  return Object.values(table).every((rows) => Object.values(rows).every(allowsListing));
}

function allowsListing(decision: VersionDecision | typeof undecided): boolean {
  return decision.is !== "undecided" && !(decision.is === "ignored" && decision.level === "MUST");
}

import type { Exchange } from "./wire.js";

/** Level of a requirement. AMBIGUOUS: the specification leaves it open; the requirement is what works with the most peers. */
type Level = "MUST" | "SHOULD" | "MAY" | "AMBIGUOUS";

/** The requirements that checks cover, by level, separated by spaces. */
const idsByLevel: Readonly<Record<Level, string>> = {
  MUST: `OP-SEND-01 OP-SEND-03 OP-SEND-04 OP-SEND-05 OP-SEND-06 OP-SEND-09 OP-SEND-12 OP-SEND-13
    OP-SEND-19 OP-SEND-22 OP-STREAM-01 OP-STREAM-02 OP-STREAM-03 OP-STREAM-04 OP-STREAM-05 OP-STREAM-06
    OP-STREAM-07 OP-STREAM-09 OP-STREAM-10 OP-STREAM-13 OP-GET-02 OP-GET-03 OP-GET-04 OP-GET-05
    OP-GET-06 OP-GET-07 OP-LIST-01 OP-LIST-02 OP-LIST-03 OP-LIST-04 OP-LIST-06 OP-LIST-08 OP-LIST-09
    OP-LIST-10 OP-LIST-11 OP-LIST-13 OP-LIST-15 OP-LIST-16 OP-LIST-17 OP-LIST-18 OP-LIST-19 OP-CANCEL-01
    OP-CANCEL-02 OP-CANCEL-04 OP-CANCEL-05 OP-CANCEL-06 OP-CANCEL-09 OP-SUB-01 OP-SUB-02 OP-SUB-04
    OP-SUB-05 OP-SUB-07 OP-SUB-09 OP-SUB-11 OP-PUSH-01 OP-PUSH-02 OP-PUSH-03 OP-PUSH-04 OP-PUSH-07
    OP-PUSH-08 OP-PUSH-11 OP-PUSH-12 OP-PUSH-14 OP-PUSH-17 OP-PUSH-18 OP-PUSH-19 OP-PUSH-20 OP-PUSH-22
    OP-XCARD-01 OP-XCARD-02 OP-XCARD-03 OP-XCARD-05 OP-XCARD-06 OP-XCARD-08 EXEC-01 EXEC-02 EXEC-03
    EXEC-05 TASK-01 TASK-02 TASK-08 TASK-14 TASK-15 TASK-17 OBJ-01 OBJ-03 OBJ-04 OBJ-05 OBJ-06 OBJ-07
    OBJ-08 OBJ-10 OBJ-13 OBJT-01 OBJT-03 OBJT-04 OBJT-06 OBJT-08 HIST-01 HIST-02 HIST-04 HIST-05 HIST-06
    HIST-07 HIST-08 HIST-12 ART-02 ART-08 STR-01 STR-02 STR-03 STR-04 STR-06 STR-07 PUSH-01 PUSH-02
    PUSH-03 PUSH-04 PUSH-07 CARD-01 CARD-03 CARD-04 CARD-09 CARD-11 CARD-15 CARD-16 DISC-01 DISC-02
    SIGN-11 SIGN-12 VER-01 VER-05 VER-07 VER-08 VER-09 EXT-08 SVC-02 RPC-01 RPC-02 RPC-03 RPC-04 RPC-05
    RPC-06 RPC-07 RPC-08 RPC-09 RPC-12 RPC-15 RPC-18 RPC-19 RPCS-01 REST-02 REST-05 REST-06 REST-07
    REST-09 RESTB-02 RESTB-06 RESTQ-04 RESTQ-10 RESTQ-11 RESTS-01 RESTS-02 ERR-01 ERR-02 ERR-03 ERR-04
    ERR-06 ERR-07 ERR-08 ERR-09 ERR-10 ERR-17 ERR-23 JSON-01 JSON-02 JSON-06 JSON-10 JSON-11 JSONV-01
    JSONV-02 JSONV-03 JSONV-05 JSONV-06 JSONV-07 JSONV-10 JSONV-12 JSONV-14 JSONV-16 JSONV-18 PAGE-01
    PAGE-02 PAGE-03 PAGE-07 IDEM-01 IDEM-04 IDEM-05 TURN-01 TURN-02 TURN-03 TURN-05 TURN-11 TURN-12
    TURN-14 AUTHN-01 AUTHN-04 AUTHN-05 AUTHZ-01 AUTHZ-02 AUTHZ-03 AUTHZ-04 ERR-19 PAGE-10 INTASK-01
    INTASK-02 SEC-04 SEC-12 BIND-01 BIND-02 LEG-02 LEG-03 ART-01 BIND-03 CARD-05 CARD-13 ERR-12 EXEC-04
    EXT-01 EXT-04 JSONV-08 JSONV-15 JSONV-19 OBJ-09 OP-PUSH-10 OP-SEND-02 OP-SEND-23 OP-STREAM-11
    OP-SUB-03 REST-01 RESTB-10 RESTQ-01 RESTQ-02 RESTQ-07 SEC-01 SEC-15 SVC-01 SVC-03 TASK-07 TASK-09
    TASK-13 TURN-07 GEN-01 GEN-02 GEN-03 GEN-04 GEN-07 GEN-08 GEN-09 GEN-13 GEN-15 GEN-17 GEN-18`,
  SHOULD: `OP-STREAM-12 OP-LIST-05 TASK-10 HIST-03 STR-18 CARD-10 CARD-20 DISC-07 DISC-08 DISC-10
    SIGN-13 VER-02 VER-10 EXT-12 RESTB-01 ERR-24 JSON-04 JSON-08 JSONV-11 AUTHN-03 ERR-11 EXT-06 EXT-10
    INTASK-04 INTASK-06 SEC-03 SVC-04 GEN-05`,
  MAY: `OP-SEND-08 EXT-05 TURN-06 OBJT-07 OP-PUSH-15 STR-05 TASK-11 TASK-16 TURN-04`,
  AMBIGUOUS: `OP-SEND-07 OP-SEND-16 OP-SEND-20 OP-SEND-21 OP-STREAM-08 OP-LIST-07 OP-LIST-12
    OP-CANCEL-03 OP-SUB-08 OP-PUSH-05 OP-PUSH-06 OP-PUSH-09 OP-PUSH-16 OP-PUSH-21 EXEC-10 OBJT-02
    OBJT-05 HIST-11 PUSH-06 PUSH-08 CARD-08 CARD-14 DISC-03 VER-06 VER-12 VER-13 VER-14 VER-15 VER-16
    EXT-07 RPC-10 RPC-11 RPC-14 RPC-16 RPC-17 RPCS-03 REST-03 RESTB-03 RESTB-04 RESTB-07 RESTQ-03
    RESTQ-05 RESTQ-08 ERR-05 ERR-18 JSON-03 JSON-12 JSONV-04 JSONV-09 PAGE-04 PAGE-08 PAGE-09 TURN-13
    TURN-18 TURN-21 ART-03 ERR-14 JSONV-13 JSONV-17 OP-LIST-14 OP-PUSH-13 OP-SEND-14 OP-SUB-06 PAGE-13
    REST-08 RESTB-05 RESTQ-09 RPC-13 SEC-06 SVC-07 TASK-12 TEN-10 TURN-08 VER-11 GEN-06`,
};

const levels = new Map(
  Object.entries(idsByLevel).flatMap(([level, ids]) =>
    ids.split(/\s+/).map((id) => [id, level as Level] as const),
  ),
);

/**
 * The level of a requirement that a check cites.
 * @throws TypeError for an unknown id
 */
export function levelOf(id: string): Level {
  const level = levels.get(id);
  if (level === undefined) throw new TypeError(`There is no requirement ${id}`);
  return level;
}

/** Every requirement that a check covers. */
export const checkedRequirements: readonly string[] = [...levels.keys()];

/** The result of a check or a requirement. `unprovoked`: it could not be checked, for example because the scenario did not occur. */
type Verdict = "met" | "violated" | "unprovoked";

/** The result of one check, over one binding or on the card. */
export interface CheckResult {
  readonly ids: readonly string[];
  readonly claim: string;
  readonly over: "card" | "JSONRPC" | "HTTP+JSON" | "GRPC";
  readonly verdict: Verdict;
  /** What was found instead, or why the check was inconclusive; absent if the verdict is `met`. */
  readonly found?: string;
  /** Requests and responses of the check, in order. */
  readonly exchanges: readonly Exchange[];
}

/** The result of one requirement. */
interface RequirementResult {
  readonly id: string;
  readonly level: Level;
  /** Violated if any of its checks is; else met if any is; else unprovoked. */
  readonly verdict: Verdict;
  /** Indexes in the report's list of checks. */
  readonly checks: readonly number[];
}

/** The result of a run. */
export interface ConformanceReport {
  /** Name in the card, and URL of the card; of its first checked interface if the card was passed as a value. */
  readonly agent: { readonly name: string; readonly url: string };
  /** Protocol version that was checked. */
  readonly protocolVersion: string;
  /** Bindings that were checked. */
  readonly bindings: readonly string[];
  /** Number of requirements with each verdict, by level. */
  readonly counts: Readonly<Partial<Record<Level, Readonly<Record<Verdict, number>>>>>;
  readonly requirements: readonly RequirementResult[];
  readonly checks: readonly CheckResult[];
}

/** Summarizes results by requirement. */
export function summarizeChecks(
  facts: Pick<ConformanceReport, "agent" | "protocolVersion" | "bindings">,
  checks: readonly CheckResult[],
): ConformanceReport {
  const indexes = new Map<string, number[]>();
  for (const [index, { ids }] of checks.entries())
    for (const id of ids) indexes.set(id, [...(indexes.get(id) ?? []), index]);
  const requirements = [...indexes].map(([id, list]): RequirementResult => {
    const verdicts = list.map((index) => checks[index]?.verdict);
    const verdict = ORDER.find((one) => verdicts.includes(one)) ?? "unprovoked";
    return { id, level: levelOf(id), verdict, checks: list };
  });
  const counts: Partial<Record<Level, Record<Verdict, number>>> = {};
  for (const { level, verdict } of requirements) {
    counts[level] ??= { met: 0, violated: 0, unprovoked: 0 };
    counts[level][verdict] += 1;
  }
  return { ...facts, counts, requirements, checks };
}

/** Verdicts in order of precedence. */
const ORDER: readonly Verdict[] = ["violated", "met", "unprovoked"];

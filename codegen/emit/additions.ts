import type { Additions } from "../additions.js";
import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";
import { lines, literal, memberName } from "./source.js";

/** `additions.ts`: what came new in the version. Literal types, so that the compiler knows which decisions are missing. */
export function emitAdditions(spec: Spec, additions: Additions): string {
  const { protocolVersion } = spec;
  const { since } = additions;
  const what =
    since === null
      ? `Protocol ${protocolVersion} adds to no version before it: its codec decides about all of it.`
      : `What protocol ${protocolVersion} has and ${since} has not. Its table of decisions has a row for each name.`;
  const rows = Object.entries(additions).map(([kind, names]) => `  ${memberName(kind)}: ${literal(names)}`);
  return `${banner(spec)}
/** ${what} */
export const additions = ${lines(rows, ["{", "}"])} as const;
`;
}

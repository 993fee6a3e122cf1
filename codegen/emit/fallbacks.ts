import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";
import { lines, literal } from "./source.js";

/**
 * `fallbacks.ts`: what earlier versions use instead of values and errors that the newest one has added. Literal types, so that the
 * compiler knows which names are new.
 */
export function emitFallbacks(spec: Spec): string {
  const enums = spec.enums.map(({ name, values }) => {
    const rows = values.map((value) => [value.name, value.fallback]);
    return `${name}: ${literal(Object.fromEntries(rows.filter(([, fallback]) => fallback !== undefined)))}`;
  });
  const errors = spec.errors.flatMap(({ code, fallback }) =>
    fallback === undefined ? [] : [[code, fallback]],
  );
  return `${banner(spec)}
import type { ErrorCode } from "./errors.js";
import type { EnumName } from "./fields.js";

/** Values that earlier versions lack, each with the value that it counts as where only theirs are known. */
export const enumFallbacks = ${lines(
    enums.map((row) => `  ${row}`),
    ["{", "}"],
  )} as const satisfies Readonly<Record<EnumName, object>>;

/** Codes that earlier versions lack, each with the one that they have in its place. */
export const errorFallbacks = ${literal(Object.fromEntries(errors))} as const satisfies Readonly<Partial<Record<ErrorCode, ErrorCode>>>;
`;
}

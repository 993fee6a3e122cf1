import type { Spec } from "../spec-model.js";
import { isDraft } from "../version-order.js";
import { newErrors } from "./additions.js";
import { banner } from "./banner.js";
import { lines, literal } from "./source.js";

/**
 * `fallbacks.ts`: the values and errors that earlier versions use instead of those that the newest version has added, and the errors that
 * replace those of a draft. The types are literal, so that the compiler knows the new names.
 * @param newest the newest released version
 */
export function emitFallbacks(spec: Spec, newest: Spec): string {
  const enums = spec.enums.map(({ name, values }) => {
    const rows = values.map((value) => [value.name, value.fallback]);
    return `${name}: ${literal(Object.fromEntries(rows.filter(([, fallback]) => fallback !== undefined)))}`;
  });
  const own = isDraft(spec.protocolVersion) ? newErrors(spec, newest) : spec.errors;
  const errors = own.flatMap(({ code, fallback }) => (fallback === undefined ? [] : [[code, fallback]]));
  return `${banner(spec)}
import type { ErrorCode } from "./errors.js";
import type { EnumName } from "./fields.js";

/** Values that earlier versions lack, each with the value that is sent to peers of those versions instead. */
export const enumFallbacks = ${lines(
    enums.map((row) => `  ${row}`),
    ["{", "}"],
  )} as const satisfies Readonly<Record<EnumName, object>>;

/** Error codes that earlier versions lack, each with the code that those versions use instead. */
export const errorFallbacks = ${literal(Object.fromEntries(errors))} as const satisfies Readonly<Partial<Record<ErrorCode, ErrorCode>>>;
`;
}

import { at, type Json, listAt, textAt } from "./json.js";
import type { WireError } from "./peer.js";

const ERROR_INFO = /google\.rpc\.ErrorInfo$/;
const BAD_REQUEST = /google\.rpc\.BadRequest$/;

/** Reads the error of either binding: `data` holds in one what `details` holds in the other. */
export function readError(error: Json): WireError {
  const details = at(error, "data") ?? at(error, "details");
  const list = Array.isArray(details) ? (details as readonly Json[]) : [];
  const info = list.find((detail) => ERROR_INFO.test(textAt(detail, "@type")));
  const violations = list
    .filter((detail) => BAD_REQUEST.test(textAt(detail, "@type")))
    .flatMap((detail) => listAt(detail, "fieldViolations"));
  return {
    code: at(error, "code"),
    message: at(error, "message"),
    status: at(error, "status"),
    details,
    reason: textAt(info, "reason"),
    fields: violations.map((violation) => textAt(violation, "field")),
  };
}

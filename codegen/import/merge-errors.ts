import type { ErrorRow, OperationsDocument } from "./contract.js";
import type { OfficialError } from "./official.js";
import { undescribed } from "./prose.js";

/** Defaults of a new error: it refuses the request. */
const refusal = { httpStatus: 400, status: "FAILED_PRECONDITION" };
const failure = { status: "INTERNAL" };
const serverError = 500;

/**
 * Codes and texts of errors come from the artifact or from the command line, where they have them. A new error gets a
 * complete row: a fallback for versions that lack it, and any operation may answer with it. Each value that no source
 * states is listed in `decisions`.
 */
export function mergeErrors(
  errors: readonly OfficialError[],
  base: OperationsDocument,
  decisions: string[],
): Pick<OperationsDocument, "errors" | "commonErrors"> {
  const isSame = (error: OfficialError, row: ErrorRow) =>
    error.name === row.name || (row.kind !== "transport" && isByNumber(error, row, base.errors));
  const rows = base.errors.map((row) => {
    const found = errors.find((error) => isSame(error, row));
    if (found === undefined) return row;
    const { jsonRpcCode, message = row.message, httpStatus = row.httpStatus, status = row.status } = found;
    return { ...row, jsonRpcCode, httpStatus, status, message };
  });
  const added = errors
    .filter((error) => !base.errors.some((row) => isSame(error, row)))
    .map((error) => newRow(error, base.errors));
  for (const { code, httpStatus, status, fallback } of added) {
    decisions.push(
      `error ${code} is HTTP ${httpStatus} ${status}, any operation may answer with it, and versions without it say ${fallback} (operations.json)`,
    );
  }
  const lastOfProtocol = rows.findLastIndex(({ kind }) => kind === "protocol") + 1;
  return {
    errors: [...rows.slice(0, lastOfProtocol), ...added, ...rows.slice(lastOfProtocol)],
    commonErrors: [...base.commonErrors, ...added.map(({ code }) => code)],
  };
}

/** The same error under another name: one that the version before does not know, with the number of one that it knows. */
function isByNumber(
  { name, jsonRpcCode }: OfficialError,
  row: ErrorRow,
  known: readonly ErrorRow[],
): boolean {
  return row.jsonRpcCode === jsonRpcCode && !known.some((other) => other.name === name);
}

function newRow(
  { name, jsonRpcCode, httpStatus, message, reason, ...said }: OfficialError,
  base: readonly ErrorRow[],
): ErrorRow {
  const words = name.replace(/Error$/, "").replace(/([a-z0-9])(?=[A-Z])/g, "$1 ");
  const whole = httpStatus ?? refusal.httpStatus;
  const like = base.find((row) => row.httpStatus === whole)?.status;
  const usual =
    whole === refusal.httpStatus
      ? refusal.status
      : (like ?? (whole < serverError ? refusal : failure).status);
  return {
    code: reason ?? words.toUpperCase().replaceAll(" ", "_"),
    name,
    jsonRpcCode,
    httpStatus: whole,
    ...(base.some((row) => row.jsonRpcHttpStatus !== undefined) && { jsonRpcHttpStatus: 200 }),
    status: said.status ?? usual,
    message: message ?? words.charAt(0) + words.slice(1).toLowerCase(),
    description: undescribed,
    kind: "protocol",
    fallback: whole < serverError ? "INVALID_REQUEST" : "INTERNAL_ERROR",
  };
}

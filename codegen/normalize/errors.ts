import type { Place } from "../problems.js";
import type { ErrorKind, ErrorRow } from "../spec-model.js";
import {
  readBoolean,
  readDescription,
  readInteger,
  readObject,
  readString,
  reportDoubles,
} from "./members.js";

const rowMembers = [
  "code",
  "name",
  "jsonRpcCode",
  "httpStatus",
  "jsonRpcHttpStatus",
  "status",
  "message",
  "description",
  "kind",
  "fallback",
  "textOnly",
];
const constantName = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
const errorName = /^[A-Z][A-Za-z0-9]*Error$/;
const errorKinds: readonly ErrorKind[] = ["protocol", "standard", "transport"];
const jsonRpcCodes = [-32768, -32000] as const;
const failureStatuses = [400, 599] as const;

/** Reads the error table. Imports use the mark `textOnly` of rows that are only in the text of the specification. */
export function readErrors(value: unknown, place: Place): ErrorRow[] {
  if (!Array.isArray(value) || value.length === 0) {
    place.report("must list at least one error");
    return [];
  }
  const rows = value.map((row: unknown, index) => readRow(row, place.at(index)));
  reportDoubles(
    rows.map(({ code }) => code),
    "code",
    (index) => place.at(index, "code"),
  );
  reportDoubles(
    rows.map(({ name }) => name),
    "name",
    (index) => place.at(index, "name"),
  );
  reportDoubles(
    rows.map((row) => (row.kind === "protocol" ? String(row.jsonRpcCode) : "")),
    "JSON-RPC code",
    (index) => place.at(index, "jsonRpcCode"),
  );
  rows.forEach(({ fallback }, index) => {
    if (fallback === undefined) return;
    const other = rows.find(({ code }) => code === fallback);
    const here = place.at(index, "fallback");
    if (other === undefined) here.report(`there is no error "${fallback}"`);
    else if (other.fallback !== undefined) here.report(`"${fallback}" needs a fallback itself`);
  });
  return rows;
}

function readRow(value: unknown, place: Place): ErrorRow {
  const row = readObject(value, rowMembers, place);
  for (const name of ["jsonRpcCode", "httpStatus"]) {
    if (row[name] === undefined) place.at(name).report(`"${name}" is missing`);
  }
  readBoolean(row, "textOnly", place);
  const kind = errorKinds.find((known) => known === row.kind);
  if (kind === undefined) place.at("kind").report(`must be one of ${errorKinds.join(", ")}`);
  return {
    code: readString(row, "code", place, constantName),
    name: readString(row, "name", place, errorName),
    jsonRpcCode: readInteger(row, "jsonRpcCode", place, jsonRpcCodes) ?? 0,
    httpStatus: readInteger(row, "httpStatus", place, failureStatuses) ?? 0,
    jsonRpcHttpStatus: readInteger(row, "jsonRpcHttpStatus", place, [200, 599]) ?? 200,
    status: readString(row, "status", place, constantName),
    message: readString(row, "message", place),
    description: readDescription(row, place),
    kind: kind ?? "protocol",
    ...(row.fallback !== undefined && { fallback: readString(row, "fallback", place, constantName) }),
  };
}

import { errors } from "../../../generated/v0.3/errors.js";
import type { A2AError } from "../../errors.js";
import { type Decided, withStandIns } from "../../stand-ins.js";
import type { WireError } from "../codec.js";
import { errorDetails } from "../error-details.js";

type Row = { readonly jsonRpcCode: number; readonly httpStatus: number };

/** Errors that this version has no word for. */
const since: Omit<Decided<"ErrorCode", Row>, keyof typeof errors> = {
  EXTENSION_SUPPORT_REQUIRED: { jsonRpcCode: -32600, httpStatus: 400 },
  VERSION_NOT_SUPPORTED: { jsonRpcCode: -32009, httpStatus: 400 },
};

const rows = withStandIns<"ErrorCode", Row>("ErrorCode", { ...errors, ...since });

/** An error as this version carries it; `data` is free there. */
export function encodeError(error: A2AError): WireError {
  const { code, message } = error;
  return { code: rows[code].jsonRpcCode, message, data: { details: errorDetails(error) } };
}

/** HTTP status of an error on HTTP+JSON. */
export function httpStatusOf({ code }: A2AError): number {
  return rows[code].httpStatus;
}

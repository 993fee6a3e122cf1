import type { ApiFailure } from "./api.js";

/** Statuses of refused requests. */
const statuses: Readonly<Record<ApiFailure["code"], number>> = {
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INVALID_REQUEST: 400,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  GONE: 410,
};

/** A request of a page that is refused. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly code: ApiFailure["code"];

  constructor(code: ApiFailure["code"], message: string) {
    super(message);
    this.code = code;
  }

  /** Status of the answer. */
  get status(): number {
    return statuses[this.code];
  }
}

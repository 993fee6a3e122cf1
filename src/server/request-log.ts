import type { Logger } from "../protocol/logger.js";
import type { HostResponse } from "./host.js";
import type { ServerRequest } from "./server-request.js";

/** Maximum number of characters of a path in a line. */
const MAX_TEXT = 128;

/**
 * The log line of a request, at `debug`. It is written when the response, or the whole stream, was sent or the connection closed. It does
 * not contain the query, which may contain credentials.
 */
export class RequestLine {
  readonly #request: ServerRequest;
  readonly #logger: Logger;
  readonly #path: string;
  readonly #start = performance.now();
  #status = 0;

  constructor(request: ServerRequest, logger: Logger) {
    this.#request = request;
    this.#logger = logger;
    // The router shortens the path of the request.
    this.#path = request.path.slice(0, MAX_TEXT);
  }

  /** Called with the reply. Returns it, so that it can be passed to `then`. */
  readonly answered = <Reply extends HostResponse<unknown>>(reply: Reply): Reply => {
    const { connection } = this.#request;
    this.#status = reply.status;
    if (connection.closed) this.#write();
    else connection.once("close", this.#write);
    return reply;
  };

  readonly #write = (): void => {
    const { method, operation, refusal, address, connection, mount } = this.#request;
    this.#logger.debug(
      {
        ...{ method, path: this.#path, status: this.#status, agent: mount.served.card.name, address },
        ...(operation && { operation }),
        ...(refusal && { code: refusal }),
        ...(!connection.writableFinished && { cut: true }),
        seconds: Math.round(performance.now() - this.#start) / 1000,
      },
      "Answered a request",
    );
  };
}

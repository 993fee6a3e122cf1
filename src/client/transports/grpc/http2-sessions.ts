import { Http2SessionManager } from "@connectrpc/connect-node";

const ignore = (): void => undefined;

/**
 * The HTTP/2 connections of Connect's transport to one server. Each has a listener for its errors as long as it exists: Connect removes its
 * own listener when it replaces a connection, even if that one has yet to emit the error of an unanswered PING. An error without a
 * listener would end the process.
 */
export class Http2Sessions extends Http2SessionManager {
  override async request(
    ...call: Parameters<Http2SessionManager["request"]>
  ): ReturnType<Http2SessionManager["request"]> {
    const stream = await super.request(...call);
    stream.session?.off("error", ignore).on("error", ignore);
    return stream;
  }
}

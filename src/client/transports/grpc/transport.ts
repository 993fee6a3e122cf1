import { LONGEST_TIMEOUT } from "../../../async/clock.js";
import { writeJson } from "../../../json/json-text.js";
import { ClientError } from "../../client-error.js";
import { readAnswer, readEvent } from "../http-json/answer.js";
import type { HttpCall, Transport, WireRequest } from "../transport.js";

/**
 * The gRPC binding on the client side (§10). A call is written as a request to the path of the method with the message as ProtoJSON, and
 * its answer is read like one of HTTP+JSON. `grpcFetch`, which replaces `fetch`, converts between these and the messages of gRPC.
 */
export const grpcTransport: Transport = { write, readAnswer, readEvent };

/** Largest number in `grpc-timeout`, which has at most eight digits. */
const LARGEST = 99_999_999;

function write({ operation, codec, value, tenant, url }: WireRequest, left: number): readonly [HttpCall] {
  const [method] = [...(codec.grpc?.methods ?? [])].find(([, { name }]) => name === operation) ?? [];
  if (codec.grpc === undefined || method === undefined)
    throw new ClientError(
      "INVALID_REQUEST",
      `The request cannot be sent: gRPC has no method for ${operation}`,
    );
  // Resolving a path that begins with `//` against the URL would name another host.
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, "")}/${codec.grpc.service}/${method}`;
  const body = writeJson({ ...value, ...(tenant !== undefined && { tenant }) });
  return [{ method: "POST", url: target, headers: deadlineOf(left), body }];
}

/**
 * The deadline of a call as metadata, so that the agent knows it too; nothing for one beyond {@link LONGEST_TIMEOUT}.
 * @param left milliseconds
 */
function deadlineOf(left: number): Record<string, string> {
  if (left > LONGEST_TIMEOUT) return {};
  const milliseconds = Math.max(1, Math.ceil(left));
  return {
    "grpc-timeout": milliseconds > LARGEST ? `${Math.ceil(milliseconds / 1000)}S` : `${milliseconds}m`,
  };
}

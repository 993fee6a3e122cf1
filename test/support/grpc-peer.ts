import { type DescService, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import type { TestContext } from "vitest";
import { loadService } from "../../src/grpc/service.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { newestCodec } from "../../src/versions/codecs.js";
import type { GrpcService } from "../../src/versions/grpc-service.js";
import type { Answer, Peer } from "./peer.js";

type Json = any;

/** The service of the newest version. */
export const service = newestCodec.grpc as GrpcService;

/** The client that the library of Google for Node makes of a service: only the messages are read and written as ours are. */
export function grpcClient(
  desc: DescService,
  address: string,
  credentials = grpc.credentials.createInsecure(),
) {
  const methods = desc.methods.map(({ name, input, output, methodKind }): [string, Json] => [
    name,
    {
      path: `/${desc.typeName}/${name}`,
      requestStream: false,
      responseStream: methodKind === "server_streaming",
      requestSerialize: (value: Json) =>
        value instanceof Uint8Array ? value : Buffer.from(toBinary(input, fromJson(input, value))),
      responseDeserialize: (bytes: Uint8Array) => toJson(output, fromBinary(output, bytes)) ?? {},
    },
  ]);
  const Client = grpc.makeGenericClientConstructor(Object.fromEntries(methods), desc.name);
  return new Client(address, credentials) as grpc.Client & Record<string, Json>;
}

/** Metadata of a call, with the version unless it is given. */
export function metadataOf(headers: Readonly<Record<string, string>> = {}): grpc.Metadata {
  const metadata = new grpc.Metadata();
  metadata.set("a2a-version", protocolVersion);
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

/** The details of a status, by the ends of their names; read by hand, so that the test does not lean on what it tests. */
export function detailsOf(error: grpc.ServiceError): Record<string, Json> {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return {};
  const status = fieldsIn(bytes);
  const anys = (status.get(3) ?? []).map((any) => fieldsIn(any as Uint8Array));
  return Object.fromEntries(
    anys.map((any) => [
      textOf(any.get(1)).split(".").at(-1),
      fieldsIn((any.get(2)?.[0] ?? new Uint8Array()) as Uint8Array),
    ]),
  );
}

export function textOf(values: readonly (Uint8Array | number)[] | undefined): string {
  const [first] = values ?? [];
  return first instanceof Uint8Array ? new TextDecoder().decode(first) : "";
}

/** The fields of a message by number: bytes, or numbers. */
export function fieldsIn(bytes: Uint8Array): Map<number, (Uint8Array | number)[]> {
  const fields = new Map<number, (Uint8Array | number)[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    let value: Uint8Array | number = varint();
    if (key % 8 === 2) {
      const length = value;
      value = bytes.subarray(at, at + length);
      at += length;
    }
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** HTTP statuses of the errors that tests of all bindings ask for. */
const statuses: Record<number, number> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  12: 404,
  13: 500,
  14: 503,
  16: 401,
};

function failureOf(error: grpc.ServiceError): Answer {
  const details = detailsOf(error);
  const info = details.ErrorInfo as ReturnType<typeof fieldsIn> | undefined;
  const request = details.BadRequest as ReturnType<typeof fieldsIn> | undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(error.metadata.getMap()))
    if (typeof value === "string") headers.set(name, value);
  return {
    ...(info && { error: textOf(info.get(1)) }),
    ...(info?.has(3) && {
      metadata: Object.fromEntries(
        (info.get(3) ?? []).map((entry) => {
          const fields = fieldsIn(entry as Uint8Array);
          return [textOf(fields.get(1)), textOf(fields.get(2))];
        }),
      ),
    }),
    ...(request && {
      fields: (request.get(1) ?? []).map((violation) => textOf(fieldsIn(violation as Uint8Array).get(1))),
    }),
    message: error.details,
    response: new Response(null, { status: statuses[error.code] ?? 500, headers }),
  };
}

function isStream(operation: string): boolean {
  return ["SendStreamingMessage", "SubscribeToTask"].includes(operation);
}

/** How a stream fails that gives no event. */
function firstFailure(call: grpc.ClientReadableStream<Json>): Promise<Answer> {
  return new Promise((resolve) => {
    call.on("error", (error) => resolve(failureOf(error as grpc.ServiceError)));
    call.on("data", (result) => resolve({ result, response: new Response() }));
  });
}

/** Empty members of lists, which are not on the wire, and milliseconds of times, which the library leaves out when there are none. */
function completed(operation: string, result: Json): Json {
  const times = JSON.stringify(result).replace(/(?<="[\d-]{10}T\d\d:\d\d:\d\d)(?=Z")/g, ".000");
  const defaults: Record<string, object> = {
    ListTasks: { tasks: [], nextPageToken: "", totalSize: 0 },
    ListTaskPushNotificationConfigs: { configs: [], nextPageToken: "" },
  };
  return { ...defaults[operation], ...JSON.parse(times) };
}

/** The gRPC binding as tests of all bindings drive it. */
export async function grpcPeer(
  t: Pick<TestContext, "onTestFinished">,
  address: string,
  contract = service,
): Promise<Peer> {
  const desc = await loadService(contract);
  const client = grpcClient(desc, address);
  t.onTestFinished(() => client.close());
  return {
    binding: "GRPC",
    call: async (operation, params = {}, headers = {}) => {
      if (isStream(operation)) return firstFailure(client[operation]?.(params, metadataOf(headers)));
      return new Promise((resolve) => {
        const metadata = new Headers();
        const done = (error: grpc.ServiceError | null, result: Json) =>
          resolve(
            error === null
              ? { result: completed(operation, result), response: new Response(null, { headers: metadata }) }
              : failureOf(error),
          );
        const call = client[operation]?.(params, metadataOf(headers), done);
        call.on("metadata", (received: grpc.Metadata) => {
          for (const [name, value] of Object.entries(received.getMap())) metadata.set(name, String(value));
        });
      });
    },
    async *stream(operation, params, { headers = {}, signal } = {}) {
      const call = client[operation]?.(params, metadataOf(headers));
      signal?.addEventListener("abort", () => call.cancel());
      let id: number | undefined;
      call.on("metadata", (received: grpc.Metadata) => {
        const [first] = received.get("first-event-id");
        if (first !== undefined) id = Number(first);
      });
      try {
        for await (const data of call) {
          yield { id: id === undefined ? undefined : String(id++), event: undefined, data };
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const { error: reason, message } = failureOf(error as grpc.ServiceError);
        yield {
          id: undefined,
          event: "error",
          data: { reason, message, code: (error as grpc.ServiceError).code },
        };
      } finally {
        call.cancel();
      }
    },
  };
}

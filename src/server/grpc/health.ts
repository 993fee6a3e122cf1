import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import { fileOf, messageOf } from "../../grpc/service.js";
import type { AgentServer } from "../agent-server.js";
import type { OpenStream } from "../streams/open-streams.js";
import { exchangeKey } from "./grpc-methods.js";
import { QUESTION_BYTES, SHOWN } from "./question.js";

const text = { number: 1, label: "LABEL_OPTIONAL" };
const PACKAGE = ".grpc.health.v1";

/** `grpc/health/v1/health.proto`. */
const file = fileOf({
  name: "grpc/health/v1/health.proto",
  package: "grpc.health.v1",
  syntax: "proto3",
  messageType: [
    {
      name: "HealthCheckRequest",
      field: [{ ...text, name: "service", type: "TYPE_STRING", jsonName: "service" }],
    },
    {
      name: "HealthCheckResponse",
      field: [
        {
          ...text,
          name: "status",
          type: "TYPE_ENUM",
          typeName: `${PACKAGE}.HealthCheckResponse.ServingStatus`,
          jsonName: "status",
        },
      ],
      enumType: [
        {
          name: "ServingStatus",
          value: ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"].map((name, number) => ({
            name,
            number,
          })),
        },
      ],
    },
  ],
  service: [
    {
      name: "Health",
      method: [
        {
          name: "Check",
          inputType: `${PACKAGE}.HealthCheckRequest`,
          outputType: `${PACKAGE}.HealthCheckResponse`,
        },
        {
          name: "Watch",
          inputType: `${PACKAGE}.HealthCheckRequest`,
          outputType: `${PACKAGE}.HealthCheckResponse`,
          serverStreaming: true,
        },
      ],
    },
  ],
});

interface Question {
  readonly service: string;
}

/** What {@link serveHealth} works with. */
interface HealthOptions {
  readonly server: AgentServer;
  /** The served services. A check of any other service fails with NOT_FOUND, and a watch of it receives SERVICE_UNKNOWN. */
  readonly services: readonly DescService[];
}

/**
 * Serves the gRPC health checking protocol (`grpc.health.v1`): SERVING until the server stops. Watches receive NOT_SERVING before they end.
 * Callers are not authenticated.
 */
export function serveHealth(router: ConnectRouter, { server, services }: HealthOptions): void {
  const known = new Set(["", ...services.map(({ typeName }) => typeName)]);
  const status = () => (server.closing ? "NOT_SERVING" : "SERVING");
  for (const method of file.services.flatMap((service) => service.methods)) {
    const reply = (word: string) => messageOf(method.output, { status: word });
    const check = ({ service }: Question) => {
      if (!known.has(service))
        throw new ConnectError(`There is no service ${service.slice(0, SHOWN)}`, Code.NotFound);
      return reply(status());
    };
    const watch = async function* ({ service }: Question, context: HandlerContext) {
      const exchange = context.values.get(exchangeKey);
      exchange?.arrived();
      const isKnown = known.has(service);
      yield reply(isKnown ? status() : "SERVICE_UNKNOWN");
      await stopped(server, context.signal, () => exchange?.ping());
      if (isKnown && !context.signal.aborted) yield reply(status());
    };
    const answer = method.methodKind === "unary" ? check : watch;
    // Connect's types describe generated methods. The messages here are read from descriptors at run time.
    router.rpc(method, answer as unknown as MethodImpl<DescMethod>, { readMaxBytes: QUESTION_BYTES });
  }
}

/**
 * Waits until the server stops, or the caller has left.
 * @param beat called once per heartbeat
 */
function stopped({ streams }: AgentServer, signal: AbortSignal, beat: () => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      streams.delete(stream);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stream: OpenStream = { beat, stop: done };
    streams.add(stream);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type MethodImpl } from "@connectrpc/connect";
import { fileOf, messageOf } from "../../grpc/service.js";
import type { AgentServer } from "../agent-server.js";

const text = { number: 1, label: "LABEL_OPTIONAL" };
const PACKAGE = ".grpc.health.v1";

/** `grpc/health/v1/health.proto` without the streaming method `Watch`, which a server may leave out. */
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
      ],
    },
  ],
});

/**
 * Answers health checks by the gRPC health checking protocol (`grpc.health.v1`): SERVING until the server stops. Callers are not
 * authenticated.
 * @param services the services of the agent; a check of any other service is NOT_FOUND
 */
export function serveHealth(
  router: ConnectRouter,
  server: AgentServer,
  services: readonly DescService[],
): void {
  const known = new Set(["", ...services.map(({ typeName }) => typeName)]);
  for (const method of file.services.flatMap((service) => service.methods)) {
    const check = ({ service }: { readonly service: string }) => {
      if (!known.has(service)) throw new ConnectError(`There is no service ${service}`, Code.NotFound);
      return messageOf(method.output, { status: server.closing ? "NOT_SERVING" : "SERVING" });
    };
    router.rpc(method, check as unknown as MethodImpl<DescMethod>);
  }
}

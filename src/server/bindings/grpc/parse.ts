import { checkJsonBounds } from "../../../json/read-json.js";
import { clientError } from "../../../protocol/errors.js";
import type { Codec } from "../../../versions/codec.js";
import { OperationRequest } from "../../operation-request.js";

/** A call of a gRPC method (§10). The gRPC library has already read its message; the path names service and method. */
export class GrpcRequest extends OperationRequest {
  /** @throws A2AError INVALID_REQUEST when the message has too many values or members */
  override parse(): void {
    const { host, agent } = this;
    this.value = host.message;
    host.message = undefined;
    if (agent.bounds !== undefined) checkJsonBounds(this.value, agent.bounds);
  }

  override isIn({ grpc }: Codec): boolean {
    return grpc?.methods.has(this.#methodOf(grpc.service)) ?? false;
  }

  override readIn({ grpc, version }: Codec): void {
    this.operation = grpc?.methods.get(this.#methodOf(grpc.service));
    if (this.operation === undefined) {
      throw clientError("METHOD_NOT_FOUND", `Version ${version} has no such method: ${this.host.path}`);
    }
  }

  /** Name of the called method; `""` if it belongs to another service. */
  #methodOf(service: string): string {
    const { path } = this.host;
    return path.startsWith(`/${service}/`) ? path.slice(service.length + 2) : "";
  }
}

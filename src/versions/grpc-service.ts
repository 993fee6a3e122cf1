import type { Operation } from "../protocol/operations.js";

/** The gRPC service of one protocol version. */
export interface GrpcService {
  /** Its full name: `package.Service`. */
  readonly service: string;
  /** Operations by the name of their method. */
  readonly methods: ReadonlyMap<string, Operation>;
  /** Loads the service and its messages, as a `google.protobuf.FileDescriptorProto` in ProtoJSON. */
  descriptor(): Promise<object>;
}

import {
  create,
  createFileRegistry,
  type DescFile,
  type DescMessage,
  type DescService,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import {
  EmptySchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from "@bufbuild/protobuf/wkt";
import type { GrpcService } from "../versions/grpc-service.js";

/** Initial metadata of a stream: the generation of its first event. Each further event has the next one. */
export const FIRST_EVENT_ID = "first-event-id";

/** The proto files of Google that the services and the details of errors import. */
const imports: ReadonlyMap<string, DescFile> = new Map(
  [
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
  ].map((file) => [`${file.name}.proto`, file]),
);

/**
 * Loads the descriptor of a service.
 * @returns the service, with its methods and messages
 * @throws TypeError for a descriptor without the service; the errors of {@link fileOf}
 */
export async function loadService({ service, descriptor }: GrpcService): Promise<DescService> {
  const found = fileOf(await descriptor()).services.find(({ typeName }) => typeName === service);
  if (found === undefined) throw new TypeError(`The descriptor of ${service} does not contain it`);
  return found;
}

/**
 * The services of some versions. Versions whose services have the same name share that of the latest version, which has the members of all.
 * @param codecs by version
 */
export function latestServices(
  codecs: ReadonlyMap<string, { readonly grpc?: GrpcService | undefined }>,
): GrpcService[] {
  const versions = [...codecs.keys()].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const services = versions.flatMap((version) => codecs.get(version)?.grpc ?? []);
  return [...new Map(services.map((one) => [one.service, one])).values()];
}

/**
 * Reads a file in the form of a `google.protobuf.FileDescriptorProto` in ProtoJSON.
 * @throws Error for a descriptor that cannot be read
 */
export function fileOf(descriptor: object): DescFile {
  const proto = fromJson(FileDescriptorProtoSchema, descriptor as JsonValue);
  const file = createFileRegistry(proto, (name) => imports.get(name)).getFile(proto.name);
  if (file === undefined) throw new TypeError(`The descriptor of ${proto.name} cannot be read`);
  return file;
}

/**
 * Reads a ProtoJSON value as a message. Unknown members and enum names are ignored (§5.7).
 * @param isStrict whether these are refused instead
 * @throws Error for a value that does not fit the message
 */
export function messageOf(type: DescMessage, value: unknown, isStrict = false): Message {
  if (type.typeName === EmptySchema.typeName) return create(EmptySchema);
  return fromJson(type, value as JsonValue, isStrict ? strict : lenient);
}

const lenient = { ignoreUnknownFields: true };
const strict = { ignoreUnknownFields: false };

/**
 * Writes a message as ProtoJSON: members with their default value are absent, unless they have presence.
 * @throws Error for a message that ProtoJSON cannot represent, such as a `Struct` that contains NaN
 */
export function messageJson(type: DescMessage, message: Message): unknown {
  return toJson(type, message);
}

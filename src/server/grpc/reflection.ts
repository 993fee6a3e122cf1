import {
  create,
  type DescFile,
  type DescMethod,
  type DescService,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import { fileOf } from "../../grpc/service.js";
import { exchangeKey } from "./grpc-methods.js";
import { QUESTION_BYTES, SHOWN } from "./question.js";

/** A member of a message. */
function field(name: string, number: number, more: object = {}): object {
  const jsonName = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { name, number, jsonName, label: "LABEL_OPTIONAL", type: "TYPE_STRING", ...more };
}

const inGroup = { oneofIndex: 0 };
const list = { label: "LABEL_REPEATED" };

/** The messages of reflection in a package. */
function messagesIn(name: string): object[] {
  const message = (type: string) => ({ type: "TYPE_MESSAGE", typeName: `.${name}.${type}` });
  return [
    {
      name: "ServerReflectionRequest",
      field: [
        field("host", 1),
        field("file_by_filename", 3, inGroup),
        field("file_containing_symbol", 4, inGroup),
        field("file_containing_extension", 5, { ...message("ExtensionRequest"), ...inGroup }),
        field("all_extension_numbers_of_type", 6, inGroup),
        field("list_services", 7, inGroup),
      ],
      oneofDecl: [{ name: "message_request" }],
    },
    {
      name: "ExtensionRequest",
      field: [field("containing_type", 1), field("extension_number", 2, { type: "TYPE_INT32" })],
    },
    {
      name: "ServerReflectionResponse",
      field: [
        field("valid_host", 1),
        field("original_request", 2, message("ServerReflectionRequest")),
        field("file_descriptor_response", 4, { ...message("FileDescriptorResponse"), ...inGroup }),
        field("all_extension_numbers_response", 5, { ...message("ExtensionNumberResponse"), ...inGroup }),
        field("list_services_response", 6, { ...message("ListServiceResponse"), ...inGroup }),
        field("error_response", 7, { ...message("ErrorResponse"), ...inGroup }),
      ],
      oneofDecl: [{ name: "message_response" }],
    },
    {
      name: "FileDescriptorResponse",
      field: [field("file_descriptor_proto", 1, { ...list, type: "TYPE_BYTES" })],
    },
    {
      name: "ExtensionNumberResponse",
      field: [field("base_type_name", 1), field("extension_number", 2, { ...list, type: "TYPE_INT32" })],
    },
    { name: "ListServiceResponse", field: [field("service", 1, { ...list, ...message("ServiceResponse") })] },
    { name: "ServiceResponse", field: [field("name", 1)] },
    {
      name: "ErrorResponse",
      field: [field("error_code", 1, { type: "TYPE_INT32" }), field("error_message", 2)],
    },
  ];
}

/** `reflection.proto` with the given package name: clients use several versions of it. */
function reflectionFile(name: string): DescFile {
  const info = {
    name: "ServerReflectionInfo",
    inputType: `.${name}.ServerReflectionRequest`,
    outputType: `.${name}.ServerReflectionResponse`,
    clientStreaming: true,
    serverStreaming: true,
  };
  return fileOf({
    name: `${name.replaceAll(".", "/")}/reflection.proto`,
    package: name,
    syntax: "proto3",
    messageType: messagesIn(name),
    service: [{ name: "ServerReflection", method: [info] }],
  });
}

/** The request of a client: the member that is set, and its value. Without a member, the kind of question is not known here. */
interface Question extends Message {
  readonly host: string;
  readonly messageRequest:
    | { readonly case: "fileContainingExtension"; readonly value: ExtensionQuestion }
    | {
        readonly case:
          | "fileByFilename"
          | "fileContainingSymbol"
          | "allExtensionNumbersOfType"
          | "listServices";
        readonly value: string;
      }
    | { readonly case: undefined };
}

interface ExtensionQuestion {
  readonly containingType: string;
  readonly extensionNumber: number;
}

/**
 * Serves gRPC reflection, which lists the services and describes their messages: `grpc.reflection.v1`, and `v1alpha`, which many clients
 * still try first. Callers are not authenticated, because the definition of the protocol is public. A stream without a question for
 * `limits.requestTime` is cut. As in grpc-go, a question about something that does not exist is answered with NOT_FOUND, and a question of
 * another kind ends the stream with INVALID_ARGUMENT.
 * @param services the services to describe
 */
export function serveReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const own = ["grpc.reflection.v1", "grpc.reflection.v1alpha"].map(reflectionFile);
  const names = [...services, ...own.flatMap((file) => file.services)].map(({ typeName }) => typeName);
  const files = new Map([...services.map(({ file }) => file), ...own].flatMap(withImports));
  const symbols = new Map([...files.values()].flatMap(symbolsOf));
  const messages = new Set(
    [...files.values()].flatMap((file) => file.messages.map(({ typeName }) => typeName)),
  );
  const answer = ({ messageRequest }: Question): object => {
    if (messageRequest.case === undefined)
      throw new ConnectError("The request has no message_request that is known here", Code.InvalidArgument);
    if (messageRequest.case === "listServices")
      return answered("listServicesResponse", { service: names.map((name) => ({ name })) });
    // No file defines an extension.
    if (messageRequest.case === "fileContainingExtension") {
      const { containingType, extensionNumber } = messageRequest.value;
      return nothing(`extension ${extensionNumber} of ${containingType}`);
    }
    const { case: asked, value } = messageRequest;
    if (asked === "allExtensionNumbersOfType")
      return messages.has(value)
        ? answered("allExtensionNumbersResponse", { baseTypeName: value })
        : nothing(value);
    const file = asked === "fileByFilename" ? files.get(value) : symbols.get(value);
    return file === undefined
      ? nothing(value)
      : answered("fileDescriptorResponse", { fileDescriptorProto: [bytesOf(file)] });
  };
  for (const method of own.flatMap((file) => file.services).flatMap((service) => service.methods)) {
    // Connect's types describe generated methods. The messages here are read from descriptors at run time.
    const ask = infoOf(method, answer) as unknown as MethodImpl<DescMethod>;
    router.rpc(method, ask, { readMaxBytes: QUESTION_BYTES });
  }
}

function nothing(asked: string): object {
  const errorMessage = `There is no ${asked.slice(0, SHOWN)}`;
  return answered("errorResponse", { errorCode: Code.NotFound, errorMessage });
}

function answered(name: string, value: object): object {
  return { messageResponse: { case: name, value } };
}

function infoOf({ output }: DescMethod, answer: (question: Question) => object) {
  return async function* (
    questions: AsyncIterable<Question>,
    { values }: HandlerContext,
  ): AsyncGenerator<Message> {
    for await (const question of questions) {
      values.get(exchangeKey)?.expectAnother();
      const { host: validHost } = question;
      const members: Record<string, unknown> = {
        ...{ validHost, originalRequest: question },
        ...answer(question),
      };
      yield create(output, members);
    }
  };
}

/** A file and those that it imports, by their names. */
function withImports(file: DescFile): [string, DescFile][] {
  return [[file.proto.name, file], ...file.dependencies.flatMap(withImports)];
}

/** The full names of the top-level types, and of the methods, that a file defines. */
function symbolsOf(file: DescFile): [string, DescFile][] {
  const types = [...file.messages, ...file.enums, ...file.services].map(({ typeName }) => typeName);
  const methods = file.services.flatMap(({ typeName, methods }) =>
    methods.map(({ name }) => `${typeName}.${name}`),
  );
  return [...types, ...methods].map((name) => [name, file]);
}

function bytesOf({ proto }: DescFile): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, proto);
}

import { type DescMessage, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";

/** Number of bytes before a message on the wire: a byte of flags, and the length of the message in 32 bits. */
export const PREFIX = 5;

/**
 * The frame of an uncompressed message. gRPC, gRPC-Web and the protocol of Connect have the same frames.
 * @param isJson whether the message is written as ProtoJSON
 */
export function framedMessage(type: DescMessage, message: Message, isJson: boolean): Uint8Array {
  const bytes = isJson ? Buffer.from(toJsonString(type, message)) : toBinary(type, message);
  const frame = Buffer.allocUnsafe(PREFIX + bytes.length);
  frame[0] = 0;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, PREFIX);
  return frame;
}

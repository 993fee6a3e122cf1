import { containers, messages, unions } from "../../../generated/v0.3/fields.js";
import { type Aliases, protoJsonReader } from "../proto-json.js";

/** Names that documents and peers use beside the proper ones. */
const aliases: Aliases = {
  FileContent: { bytes: ["fileWithBytes", "data"], uri: ["fileWithUri"] },
  MessageSendParams: { message: ["request"] },
};

/** Reads a value as a type of this version, whose enums have no numbers. */
export const readLenient = protoJsonReader({ messages, unions, containers, enums: {} }, { aliases });

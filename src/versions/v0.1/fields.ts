import { enums, type Field, type MessageName, memberTexts, unions } from "../../../generated/v0.1/fields.js";
import { readFields } from "../../protocol/fields.js";

export type { MessageName };
export { enums, unions };

/** The members of every message of protocol 0.1, in schema order. */
export const messages = /* @__PURE__ */ readFields<MessageName, Field>(memberTexts, enums);

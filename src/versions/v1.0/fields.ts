import { enums, type Field, type MessageName, memberTexts } from "../../../generated/v1.0/fields.js";
import { readFields } from "../../protocol/fields.js";

export type { MessageName };
export { enums };

/** The members of every message of protocol 1.0, in schema order. */
export const messages = /* @__PURE__ */ readFields<MessageName, Field>(memberTexts, enums);

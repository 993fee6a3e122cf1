import { enums, type Field, type MessageName, memberTexts } from "../../../generated/v1.1-draft/fields.js";
import { readFields } from "../../protocol/fields.js";

export { enums };

/** The members of every message of protocol 1.1-draft, in schema order. */
export const messages = /* @__PURE__ */ readFields<MessageName, Field>(memberTexts, enums);

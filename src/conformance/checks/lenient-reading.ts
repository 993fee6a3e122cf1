import type { BindingName } from "../../protocol/operations.js";
import type { BindingCheck } from "../check.js";
import { isRefused, result } from "../expect.js";
import { listAt } from "../json.js";
import { Inconclusive } from "../verdict.js";

/** A valid request in an unusual form, which the agent must accept. */
interface UnusualRequest {
  readonly ids: readonly string[];
  readonly claim: string;
  readonly params: (message: Record<string, unknown>) => object;
  readonly over?: BindingName;
  /** Media type of the added part: an agent may refuse one that its card does not list. */
  readonly mediaType?: string;
}

const sends = (change: object) => (message: Record<string, unknown>) => ({
  message: { ...message, ...change },
});
const marks = (more: object) => (message: Record<string, unknown>) => ({
  message: { ...message, parts: (message.parts as readonly object[]).map((part) => ({ ...part, ...more })) },
});
const adds = (part: object) => (message: Record<string, unknown>) => ({
  message: { ...message, parts: [...(message.parts as readonly unknown[]), part] },
});

const unusual: readonly UnusualRequest[] = [
  {
    ids: ["JSON-04"],
    claim: "unknown members are ignored, at every level",
    params: (message) => ({
      ...marks({ unknownMember: 1 })({ ...message, unknownMember: { a: 1 } }),
      unknownMember: true,
    }),
  },
  {
    ids: ["JSON-02"],
    claim: "member names in snake case are accepted",
    params: ({ messageId, ...message }) => ({ message: { ...message, message_id: messageId } }),
  },
  {
    ids: ["JSON-03"],
    claim: "a member in camel case takes precedence over the same one in snake case",
    params: (message) => ({ message: { ...message, message_id: 5 } }),
  },
  {
    ids: ["JSON-10"],
    claim: "null for an optional member counts as absent",
    params: (message) => ({
      message: { ...message, metadata: null, taskId: null },
      configuration: null,
      metadata: null,
    }),
  },
  {
    ids: ["JSONV-02"],
    claim: "the number of an enum value is accepted",
    params: sends({ role: 1 }),
  },
  {
    ids: ["JSONV-05"],
    claim: "an integer in quotes is accepted",
    params: (message) => ({ message, configuration: { historyLength: "5" } }),
  },
  {
    ids: ["OBJ-07"],
    claim: "a part with an empty text is accepted",
    params: adds({ text: "" }),
  },
  {
    ids: ["OBJ-08"],
    claim: "a data part with the value null is accepted",
    params: adds({ data: null, mediaType: "application/json" }),
    mediaType: "application/json",
  },
  {
    ids: ["OBJ-13"],
    claim: "a member kind of a text part is ignored",
    params: marks({ kind: "text" }),
  },
  {
    ids: ["OBJ-10"],
    claim: "a text part may have filename, mediaType and metadata",
    params: marks({ filename: "a.txt", mediaType: "text/plain", metadata: { a: 1 } }),
  },
  {
    ids: ["JSONV-18"],
    claim: "member names such as __proto__ are plain data in metadata",
    params: (message) => ({
      message: { ...message, metadata: JSON.parse('{"__proto__":{"polluted":true},"constructor":{}}') },
    }),
  },
  {
    ids: ["EXEC-10"],
    claim: "blocking, a member of earlier versions, is ignored",
    params: (message) => ({ message, configuration: { blocking: false } }),
  },
  {
    ids: ["TURN-18"],
    claim: "a reference to an unknown task is not an error",
    params: sends({ referenceTaskIds: ["no-such-task"] }),
  },
];

/** Checks of unusual but valid requests (§5.5 to §5.7, ProtoJSON). */
export const lenientReadingChecks: readonly BindingCheck[] = unusual.map(
  ({ ids, claim, params, over, mediaType }) => ({
    ids,
    claim,
    ...(over && { over }),
    async run({ card, peer, scenarios }) {
      const { message } = await scenarios.acceptedParams();
      const answer = await peer.call("SendMessage", params({ ...message }));
      const isListed = [...listAt(card, "skills"), card].some((holder) =>
        [...listAt(holder, "inputModes"), ...listAt(holder, "defaultInputModes")].includes(mediaType),
      );
      if (mediaType !== undefined && !isListed && isRefused(answer, "CONTENT_TYPE_NOT_SUPPORTED"))
        throw new Inconclusive(`the card does not list ${mediaType}, and the agent refuses it`);
      result(answer, "the send");
    },
  }),
);

import { isAgentCard } from "../../protocol/model.js";
import { lacks, needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, isRefused, refused, result, same, summary, valid } from "../expect.js";
import { at } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { Inconclusive } from "../verdict.js";

/** @throws Inconclusive unless the card requires credentials from every caller */
function secured({ isSecured }: Subject): void {
  if (!isSecured) throw new Inconclusive("the card admits anonymous callers");
}

/** Checks that a call was refused for its credentials. @throws Deviation */
function unauthorized(answer: PeerAnswer): void {
  same(answer.status, 401, "the status");
  assert(answer.error !== undefined, `there is no error object: ${summary(answer)}`);
}

const wrong = {
  headers: { authorization: "Bearer not-a-token", "x-api-key": "not-a-key" },
  as: "anonymous",
} as const;

/** Checks of authentication (§7) and of the extended card (§3.1.11). */
export const callerChecks: readonly BindingCheck[] = [
  {
    ids: ["AUTHN-01", "AUTHN-04", "AUTHN-05"],
    claim: "a caller without credentials is refused with HTTP 401",
    async run(subject) {
      secured(subject);
      unauthorized(await subject.peer.call("ListTasks", {}, { as: "anonymous" }));
    },
  },
  {
    ids: ["AUTHN-04"],
    claim: "a caller with wrong credentials is refused with HTTP 401",
    async run(subject) {
      secured(subject);
      unauthorized(await subject.peer.call("ListTasks", {}, wrong));
    },
  },
  {
    ids: ["ERR-17", "AUTHN-03"],
    claim: "that refusal has WWW-Authenticate",
    async run(subject) {
      secured(subject);
      const { headers } = await subject.peer.call("ListTasks", {}, { as: "anonymous" });
      assert(headers.has("www-authenticate"), "there is no WWW-Authenticate");
    },
  },
  {
    ids: ["ERR-18"],
    claim: "in JSON-RPC that refusal has the code -32000",
    over: "JSONRPC",
    async run(subject) {
      secured(subject);
      const { error } = await subject.peer.call("ListTasks", {}, { as: "anonymous" });
      same(error?.code, -32000, "the code");
    },
  },
  {
    ids: ["OP-XCARD-01"],
    claim: "without the capability a request for the extended card is refused",
    async run(subject) {
      lacks(subject, "extendedAgentCard");
      refused(await subject.peer.call("GetExtendedAgentCard"), "UNSUPPORTED_OPERATION");
    },
  },
  {
    ids: ["OP-XCARD-05", "OP-XCARD-06", "OP-XCARD-02"],
    claim: "the extended card is a complete card, or refused as not configured",
    async run(subject) {
      needs(subject, "extendedAgentCard");
      const answer = await subject.peer.call("GetExtendedAgentCard");
      if (isRefused(answer, "EXTENDED_AGENT_CARD_NOT_CONFIGURED")) return;
      if (answer.status === 401) throw new Inconclusive("the extended card needs credentials");
      const card = result(answer, "the extended card");
      valid("AgentCard", isAgentCard, card);
      same(at(card, "name"), at(subject.card, "name"), "the name");
    },
  },
  {
    ids: ["OP-XCARD-03", "OP-XCARD-08"],
    claim: "a caller without credentials does not get the extended card",
    async run(subject) {
      needs(subject, "extendedAgentCard");
      secured(subject);
      unauthorized(await subject.peer.call("GetExtendedAgentCard", undefined, { as: "anonymous" }));
    },
  },
];

import type { ErrorCode } from "../../protocol/errors.js";
import { errors } from "../../protocol/errors.js";
import { assert, summary } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { type EarlierCheck, earlierVersionIds } from "./earlier-check.js";

/** State names of both earlier versions. */
const STATES =
  /^(submitted|working|input-required|completed|canceled|failed|rejected|auth-required|unknown)$/;
const ENDED = /^(completed|canceled|failed|rejected)$/;

/** Name of the state of a task or an update. */
export function stateIn(value: Unchecked): string {
  return textAt(value, "status", "state");
}

/** The state in a uniform spelling; {@link checkStatusAndRoles} checks the spelling itself. */
export function normalizedState(value: Unchecked): string {
  return stateIn(value)
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}

/** Whether a state is terminal. */
export function isEnded(state: string): boolean {
  return ENDED.test(state);
}

/** All objects within a value that have the given member, at any depth. */
function objectsWith(value: Unchecked, name: string): readonly Unchecked[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap((member) => objectsWith(member, name));
  return Object.hasOwn(value, name) ? [value, ...inner] : inner;
}

/** Checks the spelling of states and roles. @throws Deviation */
export function checkStatusAndRoles(value: Unchecked): void {
  for (const holder of objectsWith(value, "state"))
    assert(STATES.test(textAt(holder, "state")), `a state is ${excerptOf(at(holder, "state"))}`);
  for (const holder of objectsWith(value, "role"))
    assert(/^(user|agent)$/.test(textAt(holder, "role")), `a role is ${excerptOf(at(holder, "role"))}`);
}

/** Checks that each part names its kind (text, file or data) in the given member. @throws Deviation */
export function checkPartKinds(value: Unchecked, name: "kind" | "type"): void {
  for (const holder of objectsWith(value, "parts"))
    for (const part of listAt(holder, "parts")) {
      const word = textAt(part, name);
      assert(/^(text|file|data)$/.test(word), `a part has the ${name} ${excerptOf(at(part, name))}`);
      assert(at(part, word) !== undefined, `a part of ${name} "${word}" has no ${word}`);
    }
}

/** Checks that members are non-empty strings. @throws Deviation */
export function assertTexts(value: Unchecked, names: readonly string[], what: string): void {
  for (const name of names)
    assert(textAt(value, name) !== "", `${what} has ${name} ${excerptOf(at(value, name))}`);
}

/** Checks that a call was refused with the JSON-RPC code of an error that all versions share. @throws Deviation */
export function refusedAs(answer: PeerAnswer, code: ErrorCode): void {
  const { jsonRpcCode } = errors[code];
  assert(answer.error?.code === jsonRpcCode, `got ${summary(answer)} instead of ${jsonRpcCode} (${code})`);
}

/** Checks of the JSON-RPC envelope and of errors, which are the same in both earlier versions but for the method that sends. */
export function envelopeChecks(send: string): readonly EarlierCheck[] {
  return [
    {
      ids: earlierVersionIds,
      claim: "invalid JSON, an invalid request and an unknown method are refused with the codes of JSON-RPC",
      over: "JSONRPC",
      async run({ peer }) {
        refusedAs(await peer.send("{ no"), "PARSE_ERROR");
        refusedAs(await peer.send({ jsonrpc: "2.0", id: 1 }), "INVALID_REQUEST");
        refusedAs(await peer.call("tasks/paint", { id: "x" }), "METHOD_NOT_FOUND");
      },
    },
    {
      ids: earlierVersionIds,
      claim: `${send} without a message is refused`,
      over: "JSONRPC",
      async run({ peer }) {
        refusedAs(await peer.call(send, { id: crypto.randomUUID() }), "INVALID_PARAMS");
      },
    },
    {
      ids: earlierVersionIds,
      claim: "a task that does not exist is not found",
      over: "JSONRPC",
      async run({ peer }) {
        const id = crypto.randomUUID();
        for (const method of ["tasks/get", "tasks/cancel"])
          refusedAs(await peer.call(method, { id }), "TASK_NOT_FOUND");
      },
    },
  ];
}

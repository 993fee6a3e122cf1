import type { ErrorCode } from "../../errors.js";
import { errors } from "../../operations.js";
import { demand, summary } from "../expect.js";
import type { Answer } from "../peer.js";
import { asItWas, type EarlierCheck } from "./earlier-check.js";

/** A call has to be refused with the number of an error; the numbers that are asked for here never changed. @throws Deviation */
export function refusedAs(answer: Answer, code: ErrorCode): void {
  const { jsonRpcCode } = errors[code];
  demand(answer.error?.code === jsonRpcCode, `got ${summary(answer)} where ${jsonRpcCode} (${code}) belongs`);
}

/** What JSON-RPC itself demands, of every version alike. */
export function envelopeChecks(send: string): readonly EarlierCheck[] {
  return [
    {
      ids: asItWas,
      claim: "what is no JSON, no request or no method is refused with the numbers of JSON-RPC",
      over: "JSONRPC",
      async run({ peer }) {
        refusedAs(await peer.send("{ no"), "PARSE_ERROR");
        refusedAs(await peer.send({ jsonrpc: "2.0", id: 1 }), "INVALID_REQUEST");
        refusedAs(await peer.call("tasks/paint", { id: "x" }), "METHOD_NOT_FOUND");
      },
    },
    {
      ids: asItWas,
      claim: `${send} without a message is refused`,
      over: "JSONRPC",
      async run({ peer }) {
        refusedAs(await peer.call(send, { id: crypto.randomUUID() }), "INVALID_PARAMS");
      },
    },
    {
      ids: asItWas,
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

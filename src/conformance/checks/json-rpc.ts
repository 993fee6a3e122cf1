import { errors } from "../../protocol/errors.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, result, same, summary } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { Inconclusive } from "../verdict.js";

/** A valid request to list tasks, with changes applied. */
const envelope = (more: object = {}) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "ListTasks", params: { pageSize: 1 } },
  ...more,
});

function post({ peer }: Subject, value: Unchecked): Promise<PeerAnswer> {
  return peer.raw({ body: typeof value === "string" ? value : JSON.stringify(value) });
}

/** An invalid envelope and the JSON-RPC error that must answer it. */
interface WrongEnvelope {
  readonly ids: readonly string[];
  readonly claim: string;
  readonly body: Unchecked;
  readonly code: number;
  /** The `id` that the answer must have. */
  readonly id: Unchecked;
}

const { PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS } = errors;

const wrong: readonly WrongEnvelope[] = [
  {
    ids: ["RPC-05"],
    claim: "a body that is not JSON is a parse error",
    body: "{",
    code: PARSE_ERROR.jsonRpcCode,
    id: null,
  },
  {
    ids: ["RPC-06"],
    claim: "a request with another jsonrpc than 2.0 is invalid",
    body: envelope({ jsonrpc: "3.0" }),
    code: INVALID_REQUEST.jsonRpcCode,
    id: 1,
  },
  {
    ids: ["RPC-06"],
    claim: "a request without a method is invalid",
    body: { jsonrpc: "2.0", id: 2 },
    code: INVALID_REQUEST.jsonRpcCode,
    id: 2,
  },
  {
    ids: ["RPC-06"],
    claim: "a number is an invalid request",
    body: 42,
    code: INVALID_REQUEST.jsonRpcCode,
    id: null,
  },
  {
    ids: ["RPC-12"],
    claim: "an id that is an object is invalid",
    body: envelope({ id: {} }),
    code: INVALID_REQUEST.jsonRpcCode,
    id: null,
  },
  {
    ids: ["RPC-12"],
    claim: "an id with a fraction is invalid",
    body: envelope({ id: 1.5 }),
    code: INVALID_REQUEST.jsonRpcCode,
    id: null,
  },
  {
    ids: ["RPC-10"],
    claim: "a batch is an invalid request",
    body: [envelope()],
    code: INVALID_REQUEST.jsonRpcCode,
    id: null,
  },
  {
    ids: ["RPC-07"],
    claim: "an unknown method is not found",
    body: envelope({ method: "PaintTask", id: "a" }),
    code: METHOD_NOT_FOUND.jsonRpcCode,
    id: "a",
  },
  {
    ids: ["RPC-02", "RPC-07"],
    claim: "method names are case-sensitive",
    body: envelope({ method: "listtasks", id: 3 }),
    code: METHOD_NOT_FOUND.jsonRpcCode,
    id: 3,
  },
  {
    ids: ["VER-13"],
    claim: "a method of an earlier version is not found",
    body: envelope({ method: "tasks/get", params: { id: "none" } }),
    code: METHOD_NOT_FOUND.jsonRpcCode,
    id: 1,
  },
  {
    ids: ["RPC-08", "RPC-15"],
    claim: "a method that requires parameters is refused without them",
    body: { jsonrpc: "2.0", id: 4, method: "GetTask" },
    code: INVALID_PARAMS.jsonRpcCode,
    id: 4,
  },
  {
    ids: ["RPC-14"],
    claim: "parameters in an array are invalid",
    body: envelope({ params: ["none"] }),
    code: INVALID_PARAMS.jsonRpcCode,
    id: 1,
  },
];

/** The refusal of a call for an unknown task. @throws Deviation */
async function failed(subject: Subject): Promise<PeerAnswer> {
  const answer = await subject.peer.call("GetTask", { id: crypto.randomUUID() });
  refused(answer, "TASK_NOT_FOUND");
  return answer;
}

/** Checks of JSON-RPC: the envelope and its errors (§9). */
export const jsonRpcChecks: readonly BindingCheck[] = [
  ...wrong.map(
    ({ ids, claim, body, code, id }): BindingCheck => ({
      ids,
      claim,
      over: "JSONRPC",
      async run(subject) {
        const answer = await post(subject, body);
        assert(answer.error?.code === code, `got ${summary(answer)} instead of ${code}`);
        same(at(answer.value, "id"), id, "the id of the answer");
      },
    }),
  ),
  ...["text", 7, null].map(
    (id): BindingCheck => ({
      ids: ["RPC-04"],
      claim: `an answer has the id of its request: ${excerptOf(id)}`,
      over: "JSONRPC",
      async run(subject) {
        const answer = await post(subject, envelope({ id }));
        same(at(answer.value, "id"), id, "the id");
        same(at(answer.value, "jsonrpc"), "2.0", "jsonrpc");
        const members = ["result", "error"].filter((name) => at(answer.value, name) !== undefined);
        assert(members.length === 1, `the answer has ${members.join(" and ") || "neither result nor error"}`);
      },
    }),
  ),
  {
    ids: ["RPC-03"],
    claim: "answers have the media type application/json",
    over: "JSONRPC",
    async run(subject) {
      const type = (await post(subject, envelope())).headers.get("content-type") ?? "none";
      assert(/^application\/json\b/.test(type), `the media type is ${type}`);
    },
  },
  {
    ids: ["RPC-11"],
    claim: "a request without an id is answered with the id null",
    over: "JSONRPC",
    async run(subject) {
      const answer = await post(subject, { jsonrpc: "2.0", method: "ListTasks" });
      result(answer, "the list");
      same(at(answer.value, "id"), null, "the id");
    },
  },
  {
    ids: ["RPC-15", "RPC-01"],
    claim: "null for params counts as absent",
    over: "JSONRPC",
    async run(subject) {
      result(await post(subject, envelope({ params: null })), "the list");
    },
  },
  {
    ids: ["RPC-16"],
    claim: "errors of JSON-RPC come with HTTP 200",
    over: "JSONRPC",
    async run(subject) {
      same((await post(subject, "{")).status, 200, "the status of a parse error");
      same((await failed(subject)).status, 200, "the status of a refused read");
    },
  },
  {
    ids: ["RPC-17"],
    claim: "a body of another media type is refused",
    over: "JSONRPC",
    async run({ peer }) {
      const headers = { "content-type": "text/plain" };
      refused(await peer.raw({ headers, body: JSON.stringify(envelope()) }), "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    ids: ["RPC-18"],
    claim: "another verb than POST is answered with 405 and Allow",
    over: "JSONRPC",
    async run({ peer }) {
      const { status, headers } = await peer.raw({ method: "PUT", body: "{}" });
      assert(
        status === 405 && /\bPOST\b/.test(headers.get("allow") ?? ""),
        `HTTP ${status}, Allow: ${headers.get("allow")}`,
      );
    },
  },
  {
    ids: ["ERR-01", "ERR-03", "ERR-02"],
    claim: "an error has an integer code and a message",
    over: "JSONRPC",
    async run(subject) {
      const { error } = await failed(subject);
      assert(Number.isInteger(error?.code), `code ${excerptOf(error?.code)}`);
      assert(
        typeof error?.message === "string" && error.message !== "",
        `message ${excerptOf(error?.message)}`,
      );
    },
  },
  {
    ids: ["ERR-04"],
    claim: "the data of an error is a list of objects with a type",
    over: "JSONRPC",
    async run(subject) {
      const { error } = await failed(subject);
      if (error?.details === undefined) throw new Inconclusive("errors have no data");
      assert(Array.isArray(error.details), `data is ${excerptOf(error.details)}`);
      for (const detail of listAt(error.details))
        assert(textAt(detail, "@type") !== "", `a detail without a type: ${excerptOf(detail)}`);
    },
  },
  {
    ids: ["ERR-05"],
    claim: "an error of the protocol names its reason",
    over: "JSONRPC",
    async run(subject) {
      same((await failed(subject)).error?.reason, "TASK_NOT_FOUND", "the reason");
    },
  },
];

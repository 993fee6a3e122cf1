import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, result, same, summary } from "../expect.js";
import { at, excerptOf, listAt, parsed, textAt } from "../json.js";
import type { PeerAnswer } from "../peer.js";

const over = "HTTP+JSON";
const unknownTask = "/tasks/no-such-task";

function get({ peer }: Subject, path: string): Promise<PeerAnswer> {
  return peer.raw({ method: "GET", path });
}

/** Sends a plain message with headers added to the peer's own. */
async function send({ peer, scenarios }: Subject, headers: Record<string, string>): Promise<PeerAnswer> {
  return peer.raw({ path: "/message:send", headers, body: JSON.stringify(await scenarios.acceptedParams()) });
}

function info(answer: PeerAnswer) {
  const details = listAt(answer.error?.details);
  return details.find((detail) => /ErrorInfo$/.test(textAt(detail, "@type")));
}

function errorForm(answer: PeerAnswer): void {
  assert(answer.error !== undefined, `there is no error object: ${excerptOf(answer.body)}`);
}

/** Checks of HTTP+JSON: routes, media types, query parameters and errors (§11). */
export const httpJsonChecks: readonly BindingCheck[] = [
  {
    ids: ["REST-09"],
    claim: "an unknown path is answered with 404 and a JSON error",
    over,
    async run(subject) {
      const answer = await get(subject, "/no/such/route");
      same(answer.status, 404, "the status");
      errorForm(answer);
    },
  },
  {
    ids: ["REST-09"],
    claim: "a route with the wrong verb is answered with 405, Allow and a JSON error",
    over,
    async run({ peer }) {
      const answer = await peer.raw({ method: "PUT", path: unknownTask, body: "{}" });
      const allow = answer.headers.get("allow") ?? "";
      assert(answer.status === 405 && allow.includes("GET"), `HTTP ${answer.status}, Allow: ${allow}`);
      errorForm(answer);
    },
  },
  {
    ids: ["REST-02"],
    claim: "routes also exist with a tenant in front",
    over,
    async run(subject) {
      refused(await get(subject, `/some-tenant${unknownTask}`), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["REST-03"],
    claim: "a task can be subscribed to by POST and by GET",
    over,
    async run(subject) {
      needs(subject, "streaming");
      const path = `${unknownTask}:subscribe`;
      refused(await get(subject, path), "TASK_NOT_FOUND");
      refused(await subject.peer.raw({ path, body: "{}" }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["REST-05"],
    claim: "a cancel needs no body",
    over,
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("input-required"), "id");
      const path = `/tasks/${encodeURIComponent(id)}:cancel`;
      const found = result(await peer.raw({ path, headers: { "content-type": undefined } }), "the cancel");
      same(at(found, "status", "state"), "TASK_STATE_CANCELED", "the state");
    },
  },
  {
    ids: ["REST-06", "REST-07"],
    claim: "ids may contain slashes, colons, spaces and letters of any script",
    over,
    async run(subject) {
      const id = encodeURIComponent("a/b: ü:cancel");
      refused(await get(subject, `/tasks/${id}`), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["RESTB-01", "RESTB-03"],
    claim: "answers have the media type application/a2a+json",
    over,
    async run(subject) {
      const type = (await get(subject, "/tasks")).headers.get("content-type") ?? "none";
      assert(/^application\/a2a\+json\b/.test(type), `the media type is ${type}`);
    },
  },
  {
    ids: ["RESTB-02"],
    claim: "the media type application/json is accepted, with parameters too",
    over,
    async run(subject) {
      for (const type of ["application/json", "application/json; charset=utf-8"])
        result(await send(subject, { "content-type": type }), type);
    },
  },
  {
    ids: ["RESTB-04"],
    claim: "a body of another media type is refused",
    over,
    async run(subject) {
      refused(await send(subject, { "content-type": "text/csv" }), "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    ids: ["RESTB-07"],
    claim: "success is HTTP 200",
    over,
    async run(subject) {
      const answer = await send(subject, {});
      result(answer, "the send");
      same(answer.status, 200, "the status");
    },
  },
  {
    ids: ["RPC-05", "ERR-06"],
    claim: "a body that is not JSON is refused with HTTP 400",
    over,
    async run({ peer }) {
      const answer = await peer.raw({ path: "/message:send", body: "{" });
      same([answer.status, answer.error?.status], [400, "INVALID_ARGUMENT"], "status and error");
    },
  },
  {
    ids: ["RESTQ-10"],
    claim: "unknown query parameters are ignored",
    over,
    async run(subject) {
      result(await get(subject, "/tasks?unheardOf=1"), "the list");
    },
  },
  {
    ids: ["RESTQ-11", "RESTQ-04"],
    claim: "an invalid query parameter is refused, naming the parameter",
    over,
    async run(subject) {
      refused(await get(subject, "/tasks?pageSize=many"), "INVALID_PARAMS", "pageSize");
      refused(await get(subject, "/tasks?includeArtifacts=perhaps"), "INVALID_PARAMS", "includeArtifacts");
    },
  },
  {
    ids: ["RESTQ-05"],
    claim: "booleans in the query may be written in any case",
    over,
    async run(subject) {
      result(await get(subject, "/tasks?includeArtifacts=TRUE&pageSize=1"), "the list");
    },
  },
  {
    ids: ["RESTQ-03"],
    claim: "query parameters may have names in snake case",
    over,
    async run(subject) {
      same(at(result(await get(subject, "/tasks?page_size=3")), "pageSize"), 3, "pageSize");
    },
  },
  {
    ids: ["RESTQ-08"],
    claim: "an empty query parameter counts as absent",
    over,
    async run(subject) {
      result(await get(subject, "/tasks?status=&pageSize=1"), "the list");
    },
  },
  {
    ids: ["ERR-06", "ERR-01"],
    claim: "an error has the HTTP status as its code, and a message",
    over,
    async run(subject) {
      const answer = await get(subject, unknownTask);
      same(at(parsed(answer.body), "error", "code"), 404, "the code");
      assert(typeof answer.error?.message === "string", `message ${excerptOf(answer.error?.message)}`);
    },
  },
  {
    ids: ["ERR-07"],
    claim: "an error has the name of its status",
    over,
    async run(subject) {
      const answer = await get(subject, unknownTask);
      same(answer.error?.status, "NOT_FOUND", "the status");
    },
  },
  {
    ids: ["ERR-08", "ERR-09", "ERR-02"],
    claim: "an error of the protocol has an ErrorInfo with reason and domain",
    over,
    async run(subject) {
      const answer = await get(subject, unknownTask);
      const found = info(answer);
      assert(found !== undefined, `there is no ErrorInfo: ${summary(answer)}`);
      same(at(found, "@type"), "type.googleapis.com/google.rpc.ErrorInfo", "@type");
      same(
        [at(found, "reason"), at(found, "domain")],
        ["TASK_NOT_FOUND", "a2a-protocol.org"],
        "reason and domain",
      );
    },
  },
  {
    ids: ["ERR-10"],
    claim: "the metadata of an ErrorInfo are strings",
    over,
    async run(subject) {
      const metadata = Object.entries(Object(at(info(await get(subject, unknownTask)), "metadata")));
      for (const [name, value] of metadata)
        assert(typeof value === "string", `${name} is ${excerptOf(value)}`);
    },
  },
];

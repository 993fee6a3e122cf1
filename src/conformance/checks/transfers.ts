import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, refusedSomehow, result, same } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import { readStream } from "../streams.js";

/** Parts of the first message of a task, as the agent stores them. */
async function storedParts({ peer, scenarios }: Subject, part: object): Promise<readonly Unchecked[]> {
  const { message } = await scenarios.params("completed");
  const parts = [...listAt(message, "parts"), part];
  const id = textAt(result(await peer.call("SendMessage", { message: { ...message, parts } })), "task", "id");
  const [first] = listAt(result(await peer.call("GetTask", { id }), "the task"), "history");
  return listAt(first, "parts");
}

const texts = (events: readonly { readonly value: Unchecked }[]): readonly string[] =>
  events.flatMap(({ value }) =>
    listAt(value, "artifactUpdate", "artifact", "parts").map((part) => textAt(part, "text")),
  );

/** Checks that text, bytes and artifact chunks arrive unchanged (§4.1, §5). */
export const transferChecks: readonly BindingCheck[] = [
  {
    ids: ["RESTB-10", "JSONV-19"],
    claim: "text in any script is stored unchanged",
    async run(subject) {
      const text = "Ωmega – 日本語 – 🦜 – \u0000\u2028";
      same(at((await storedParts(subject, { text })).at(-1), "text"), text, "the text");
    },
  },
  {
    ids: ["JSONV-08", "OBJ-09"],
    claim: "bytes in URL-safe base64 without padding are accepted, and returned in standard base64",
    async run(subject) {
      same(at((await storedParts(subject, { raw: "-_8" })).at(-1), "raw"), "+/8=", "the bytes");
    },
  },
  {
    ids: ["JSONV-15"],
    claim: "NaN, which is not JSON, is refused",
    async run({ peer, scenarios }) {
      const text = JSON.stringify({
        message: at(await scenarios.params("completed"), "message"),
        metadata: { a: 0 },
      });
      const params = text.replace('"a":0', '"a":NaN');
      const body =
        peer.binding === "JSONRPC"
          ? `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`
          : params;
      refusedSomehow(
        await peer.raw({ path: peer.binding === "JSONRPC" ? "" : "/message:send", body }),
        "the message",
      );
    },
  },
  {
    ids: ["ART-01", "ART-03"],
    claim: "the chunks of an artifact become its parts, none lost, repeated or joined",
    async run(subject) {
      needs(subject, "streaming");
      const { peer, scenarios } = subject;
      const events = await readStream(
        await peer.open("SendStreamingMessage", await scenarios.params("chunks")),
      );
      const id = textAt(events[0]?.value, "task", "id");
      const artifacts = listAt(result(await peer.call("GetTask", { id }), "the task"), "artifacts");
      const parts = artifacts.flatMap((artifact) => listAt(artifact, "parts"));
      same(
        parts.map((part) => textAt(part, "text")),
        texts(events),
        "the parts",
      );
    },
  },
  {
    ids: ["TASK-13", "OP-SUB-03"],
    claim: "the last status of a stream is the stored one, with the same timestamp",
    async run(subject) {
      needs(subject, "streaming");
      const { peer, scenarios } = subject;
      const events = await readStream(
        await peer.open("SendStreamingMessage", await scenarios.params("artifact")),
      );
      const id = textAt(events[0]?.value, "task", "id");
      const status = at(result(await peer.call("GetTask", { id }), "the task"), "status");
      same(at(events.at(-1)?.value, "statusUpdate", "status"), status, "the last status");
    },
  },
  {
    ids: ["JSONV-13"],
    claim: "times with an offset are accepted",
    async run({ peer }) {
      const query = { pageSize: 1, statusTimestampAfter: "2020-01-01T01:30:00.5+01:30" };
      result(await peer.call("ListTasks", query), "the list");
    },
  },
  {
    ids: ["OP-SUB-06"],
    claim: "the version is checked before the parameters",
    async run({ peer }) {
      const answer = await peer.call("GetTask", { id: "" }, { headers: { "a2a-version": "99.9" } });
      refused(answer, "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["SVC-01", "SVC-03", "SVC-04", "SVC-07"],
    claim: "unknown service parameters and unknown extensions are ignored",
    async run({ peer }) {
      const headers = {
        "a2a-unheard-of": "x",
        "a2a-extensions": "https://a.example/v1, https://b.example/v1",
      };
      const answer = await peer.call("ListTasks", { pageSize: 1 }, { headers });
      result(answer, "the list");
    },
  },
  {
    ids: ["ERR-11", "ERR-12"],
    claim: "a validation error names the path of the invalid member",
    async run({ peer, scenarios }) {
      const { message } = await scenarios.params("completed");
      const parts = [{ text: "one" }, { url: 7 }];
      const answer = await peer.call("SendMessage", { message: { ...message, parts } });
      refused(answer, "INVALID_PARAMS", "message.parts[1].url");
    },
  },
  {
    ids: ["ERR-14"],
    claim: "an invalid request has INVALID_PARAMS as its reason",
    async run({ peer }) {
      const { error } = await peer.call("GetTask", {});
      assert(error?.reason === "INVALID_PARAMS", `the reason is ${excerptOf(error?.reason)}`);
    },
  },
];

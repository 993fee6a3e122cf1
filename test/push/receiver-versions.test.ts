import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import {
  artifact,
  authRequired,
  completed,
  type Executor,
  failed,
  inputRequired,
  type Received,
  rejected,
  type StreamResponse,
  working,
} from "../../src/index.js";
import { isStreamResponse } from "../../src/protocol/model.js";
import { type PushNotification, type PushReceiverOptions, pushReceiver } from "../../src/push/index.js";
import { serveExecutor } from "../support/peer.js";
import { NotingLogger, near } from "./desk.js";
import { issuer, privateKey, signer } from "./receiving.js";

type Json = any;

/** Says everything that can be said of a task: words, files, data, questions, and how the text of the message wants it to end. */
const execute: Executor = async function* ({ text, task }) {
  yield working("on it");
  if (task === undefined) {
    const writer = artifact({ name: "result", artifactId: "a" });
    yield writer.text("one ");
    yield writer.text("two", { last: true });
    yield artifact({ artifactId: "b" }).parts([
      { data: { n: 1 } },
      { raw: "AA==", filename: "f", mediaType: "x/y" },
      { url: "https://x.test/f" },
    ]);
    yield text === "log in" ? authRequired("A token, please.") : inputRequired("Which?");
    return;
  }
  if (text === "fail") yield failed("It broke.");
  else if (text === "refuse") yield rejected("No.");
  else yield completed("Done.");
};

/** How a client of a version sets a webhook up with its send, and what its webhook is known by. */
interface Client {
  readonly send: (text: string, more: Hook & { id?: string }) => { method: string; params: Json };
  readonly headers: Readonly<Record<string, string>>;
  readonly taskOf: (result: Json) => string;
}
interface Hook {
  readonly url: string;
  readonly token?: string;
}

const flatHook = ({ url: webhookUrl, token }: Hook, header = {}): Json => ({
  webhookUrl,
  ...(token && { authenticationInfo: { scheme: "token", value: token, ...header } }),
});
const flat = (text: string, more: object): Json => ({
  method: "tasks/send",
  params: { message: { role: "user", parts: [{ text }] }, ...more },
});

const clients: Readonly<Record<string, Client>> = {
  "1.0": {
    send: (text, { id: taskId, ...taskPushNotificationConfig }) => ({
      method: "SendMessage",
      params: {
        message: {
          messageId: crypto.randomUUID(),
          role: "ROLE_USER",
          parts: [{ text }],
          ...(taskId && { taskId }),
        },
        configuration: { taskPushNotificationConfig },
      },
    }),
    headers: { "A2A-Version": "1.0" },
    taskOf: ({ task }) => task.id,
  },
  "0.3": {
    send: (text, { id: taskId, ...pushNotificationConfig }) => {
      const parts = [{ kind: "text", text }];
      const ids = { messageId: crypto.randomUUID(), ...(taskId && { taskId }) };
      const message = { kind: "message", role: "user", parts, ...ids };
      return { method: "message/send", params: { message, configuration: { pushNotificationConfig } } };
    },
    headers: {},
    taskOf: ({ id }) => id,
  },
  "0.1": {
    send: (text, { id = crypto.randomUUID(), ...pushNotification }) => {
      const message = { role: "user", parts: [{ type: "text", text }] };
      return { method: "tasks/send", params: { id, message, pushNotification } };
    },
    headers: {},
    taskOf: ({ id }) => id,
  },
  "the flat dialect": {
    send: (text, { id, ...hook }) => flat(text, { id, pushNotificationConfig: flatHook(hook) }),
    headers: {},
    taskOf: ({ id }) => id,
  },
  "the flat dialect, with a header of its own": {
    send: (text, { id, ...hook }) =>
      flat(text, { id, pushNotificationConfig: flatHook(hook, { headerName: "X-Webhook-Token" }) }),
    headers: {},
    taskOf: ({ id }) => id,
  },
};

/** A webhook on a port of its own in front of a receiver, and what came of every request to it. */
async function listening(
  t: TestContext,
  options: (url: string) => Omit<PushReceiverOptions, "onNotification">,
) {
  const taken: PushNotification[] = [];
  const receipts: string[] = [];
  let waiting: { isMet: () => boolean; resolve: () => void }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const receipt = await receiver.receive({ method, url, headers, body: Buffer.concat(chunks) });
    receipts.push(`${receipt.status} ${receipt.reason}`);
    response.writeHead(receipt.status).end();
    for (const { isMet, resolve } of waiting) if (isMet()) resolve();
    waiting = waiting.filter(({ isMet }) => !isMet());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const receiver = pushReceiver({
    ...options(url),
    logger: new NotingLogger(),
    onNotification: (notification) => void taken.push(notification),
  });
  const until = (isMet: () => boolean) =>
    new Promise<void>((resolve) => {
      if (isMet()) resolve();
      else waiting.push({ isMet, resolve });
    });
  return { url, taken, receipts, until };
}

const stateOf = ({ task, statusUpdate }: Received<StreamResponse>) => (task ?? statusUpdate)?.status.state;

const secrets = {
  token: (name: string) => ({
    expect: () =>
      name.startsWith("the flat")
        ? { authorization: "Token secret", ...(name.endsWith("own") && { header: "X-Webhook-Token" }) }
        : { token: "secret" },
  }),
};

for (const [name, { send, headers, taskOf }] of Object.entries(clients)) {
  for (const isSigned of [false, true]) {
    const by = isSigned ? "a signature" : "its token";
    test(`HOOK-09: every notification to a webhook of ${name} is taken, known by ${by}`, async (t) => {
      const keys = await signer.keySet();
      const {
        url: hook,
        taken,
        receipts,
        until,
      } = await listening(t, (url) =>
        isSigned ? { expect: () => ({}), signature: { issuer, audience: url, keys } } : secrets.token(name),
      );
      const key = { key: privateKey, kid: "one", alg: "ES256" };
      const push = { ...near, ...(isSigned && { signing: { issuer, keys: [key] } }) };
      const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.3", "0.1-flat", "0.1"], push });
      const call = async (text: string, id?: string): Promise<Json> => {
        const config = { url: hook, ...(!isSigned && { token: "secret" }), ...(id && { id }) };
        const response = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...send(text, config) }),
        });
        const { result, error }: Json = await response.json();
        assert.equal(error, undefined);
        return result;
      };
      for (const [first, last, waits, ends] of [
        ["go", "go on", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"],
        ["log in", "fail", "TASK_STATE_AUTH_REQUIRED", "TASK_STATE_FAILED"],
        ["go", "refuse", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED"],
      ] as const) {
        const id = taskOf(await call(first));
        const own = () => taken.filter(({ taskId }) => taskId === id);
        await until(() => own().some(({ event }) => stateOf(event) === waits));
        await call(last, id);
        await until(() => own().some(({ event }) => stateOf(event) === ends));
        for (const { event, generation } of own()) {
          assert.ok(isStreamResponse(event), JSON.stringify(event));
          assert.ok(generation);
        }
        const { event } = own().at(-1)!;
        const { state, message } = (event.task ?? event.statusUpdate)!.status;
        assert.equal(state, ends);
        assert.ok(message?.parts[0]?.text);
        const parts = own().flatMap(({ event: { task, artifactUpdate } }) =>
          [...(task?.artifacts ?? []), ...(artifactUpdate ? [artifactUpdate.artifact] : [])].flatMap(
            (one) => one.parts,
          ),
        );
        const has = (isOne: (part: Json) => boolean) => assert.ok(parts.some(isOne));
        has(({ text }) => text === "two");
        has(({ data }) => data?.n === 1);
        has(({ raw }) => raw === "AA==");
        has(({ url: place }) => place === "https://x.test/f");
      }
      assert.deepEqual(
        receipts.filter((receipt) => !receipt.startsWith("204")),
        [],
      );
    });
  }
}

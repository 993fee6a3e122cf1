import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, test, vi } from "vitest";
import type { PushOptions } from "../../src/server/index.js";
import { failures, hangs } from "../operations/failures.js";
import { changed, created } from "../task-log/entries.js";
import { Desk } from "./desk.js";
import { receiverFor } from "./receiving.js";
import { Webhook } from "./webhook.js";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

beforeAll(() => void process.on("unhandledRejection", note).on("uncaughtException", note));
afterAll(() => void process.off("unhandledRejection", note).off("uncaughtException", note));

async function assertNothingUnhandled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(unhandled.splice(0).length, 0);
}

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keys = [{ key: privateKey, kid: "one", alg: "ES256" }];

/** Fails as often as it is asked after the first time, which is when it is looked at, until it is repaired. */
interface Fault {
  fail: () => unknown;
  isOver: boolean;
}

/** Hooks of push options: what stands in their place, and the config that reaches them. */
const hooks: Record<string, { options: (fault: Fault) => PushOptions; config?: object; host?: string }> = {
  "push.credentials": {
    options: (fault) => ({ credentials: () => (fault.isOver ? "secret" : fault.fail()) as string }),
    config: { authentication: { scheme: "Basic" } },
  },
  "push.signing": {
    options: (fault) => {
      let asked = 0;
      const ask = () => {
        asked += 1;
        return (asked === 1 || fault.isOver ? keys : fault.fail()) as typeof keys;
      };
      return { signing: { issuer: "agent", keys: ask } };
    },
  },
  "push.resolve": {
    options: (fault) => ({
      resolve: async () => (fault.isOver ? ["127.0.0.1"] : (fault.fail() as string[])),
    }),
    host: "hooks.example",
  },
};

for (const [name, { options, config, host = "127.0.0.1" }] of Object.entries(hooks)) {
  test(`PUSH-09: an attempt fails while a hook fails, in any way, and the event arrives afterwards: ${name}`, async (t) => {
    const webhook = await Webhook.open(t);
    for (const [way, fail] of [...Object.entries(failures), ["never settles", hangs] as const]) {
      const fault: Fault = { fail, isOver: false };
      const desk = new Desk(t, { ...options(fault), timeout: way === "never settles" ? 0.05 : 10 });
      const before = webhook.arrivals.length;
      await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
      await desk.hook(webhook.url().replace("127.0.0.1", host), config);
      await desk.logger.told("A notification failed", 2);
      assert.equal(webhook.arrivals.length, before, way);
      const told = desk.logger.lines.filter(({ level }) => level === "error");
      assert.ok(told.every(({ facts, text }) => text === "A hook failed" && facts.hook === name));
      // A resolver that rejects says that there is no such name, and what hangs is cut off by the time limit.
      const isSilent = name === "push.resolve" || (name === "push.credentials" && way === "never settles");
      assert.equal(told.length > 0, !isSilent, way);
      fault.isOver = true;
      await webhook.count(before + 2);
      await desk.push.close();
    }
    await assertNothingUnhandled();
  });
}

test("a hook for dead letters may fail in any way: it is logged, and the next event is sent", async (t) => {
  const webhook = await Webhook.open(t, ({ event }) => (event.task ? 400 : 204));
  for (const [way, fail] of [...Object.entries(failures), ["never settles", hangs] as const]) {
    const onDeadLetter = fail as () => void;
    const desk = new Desk(t, { onDeadLetter, timeout: way === "never settles" ? 0.05 : 10 });
    const before = webhook.arrivals.length;
    await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
    await desk.hook(webhook.url());
    await webhook.count(before + 2);
    const told = desk.logger.lines.filter(({ level }) => level === "error");
    assert.deepEqual(
      told.map(({ text, facts }) => [text, facts.hook]),
      [["A hook failed", "push.onDeadLetter"]],
      way,
    );
    await desk.push.close();
  }
  await assertNothingUnhandled();
});

test("closing waits for no hook that never settles", async (t) => {
  const webhook = await Webhook.open(t, () => 400);
  const desk = new Desk(t, { onDeadLetter: hangs, timeout: 600, drain: 0.01 });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await desk.logger.told("A notification was given up");
  await desk.push.close();
  assert.equal(desk.push.outbox.size, 0);
});

test("HOOK-01: a receiver answers 500 when a function of its application fails, whatever that throws", async () => {
  for (const [way, fail] of Object.entries(failures)) {
    const headers = { "a2a-notification-token": "secret" };
    for (const name of ["expect", "onNotification", "now"] as const) {
      const { send, logger } = receiverFor({ [name]: fail as never });
      // A clock is asked only for signatures.
      assert.equal(await send({ headers }), name === "now" ? 204 : 500, `${name} ${way}`);
      assert.equal(logger.lines.length, name === "now" ? 0 : 1, `${name} ${way}`);
    }
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const broken = { debug: fail, info: fail, warn: fail, error: fail } as never;
    assert.equal(await receiverFor({ logger: broken }).send({}), 401, `logger ${way}`);
    written.mockRestore();
  }
  await assertNothingUnhandled();
});

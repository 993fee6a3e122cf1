import assert from "node:assert/strict";
import { request } from "node:http";
import { fastify } from "fastify";
import { describe, type TestContext, test, vi } from "vitest";
import { connect } from "../../../src/client/index.js";
import {
  type Agent,
  artifact,
  completed,
  defineAgent,
  reply,
  userMessage,
  working,
} from "../../../src/index.js";
import { fastifyAgents } from "../../../src/server/fastify/index.js";
import type { Agents, ServerOptions } from "../../../src/server/index.js";
import { gate } from "../../support/both.js";
import { type Around, frameworks } from "../../support/frameworks.js";
import { plainCard } from "../../support/peer.js";
import { callText, json, notebook, version } from "../scripted-agent.js";

/** Frameworks whose applications read bodies before the agents do. Fastify leaves them to the plugin. */
const reading = ["node", "express", "hono", "koa"];
/** Frameworks with a middleware that compresses. Next compresses in its own server. */
const compressing = ["express", "fastify", "hono", "koa"];

const echo = (card: object = plainCard): Agent =>
  defineAgent({
    card: { ...plainCard, ...card },
    execute: async ({ text, call }) => reply(`${call.principal.id}: ${text}`),
  });

/** A stream of two events, the second of which waits until the test has seen the first. */
function slow() {
  const { open, opened } = gate();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      await opened;
      yield artifact({ name: "late" }).text("done");
      yield completed();
    },
  });
  return { agent, open };
}

for (const [name, embed] of Object.entries(frameworks)) {
  const running = async (
    t: Pick<TestContext, "onTestFinished">,
    {
      agent = echo(),
      options = {},
      ...around
    }: Partial<Around> & { agent?: Agents; options?: ServerOptions },
  ) => {
    const app = await embed(agent, options, { at: "/shop/agent", ...around });
    t.onTestFinished(() => app.close(0));
    return app;
  };
  const call = (url: string, text = "hi", headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      headers: { ...json, ...headers },
      body: callText("SendMessage", text),
    });
  const textOf = async (response: Response) => ((await response.json()) as any).result?.message.parts[0].text;

  describe(name, () => {
    test("CARD-04: an agent that is mounted at a path tells the URL at which it is reached, in every binding", async (t) => {
      const { url } = await running(t, {});
      const card = (await (await fetch(`${url}/shop/agent/.well-known/agent-card.json`)).json()) as any;
      for (const one of card.supportedInterfaces) assert.ok(one.url.startsWith(`${url}/shop/agent`), one.url);
      const client = await connect(`${url}/shop/agent`);
      const sent = await client.sendMessage({ message: userMessage("hello") });
      assert.match(JSON.stringify(sent), /: hello/);
      const rest = await fetch(`${url}/shop/agent/message:send`, {
        method: "POST",
        headers: { ...version, "Content-Type": "application/a2a+json" },
        body: JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "rest" }] } }),
      });
      assert.equal(((await rest.json()) as any).message.parts[0].text, ": rest");
    });

    test("headers of a proxy count when it is trusted, and the mount path follows its prefix", async (t) => {
      const headers = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "agents.example",
        "X-Forwarded-Prefix": "/edge",
      };
      const urlFor = async (options: ServerOptions) => {
        const { url } = await running(t, { options });
        const card = await fetch(`${url}/shop/agent/.well-known/agent-card.json`, { headers });
        const [first] = ((await card.json()) as any).supportedInterfaces;
        return [first.url.replace(/\/$/, ""), `${url}/shop/agent`];
      };
      const [told, own] = await urlFor({});
      assert.equal(told, own);
      const [trusted] = await urlFor({ trustProxy: true });
      assert.equal(trusted, "https://agents.example/edge/shop/agent");
    });

    test("CARD-04: a publicUrl without the path of the mount, or with that of an agent twice, is logged once", async (t) => {
      const warningsFor = async (publicUrl: string) => {
        const { logger, texts } = notebook();
        const { url } = await running(t, { options: { publicUrl, logger } });
        for (let count = 0; count < 2; count += 1)
          await fetch(`${url}/shop/agent/.well-known/agent-card.json`);
        return texts("warn").filter((text) => text.startsWith("publicUrl: "));
      };
      const missing =
        'publicUrl: "https://a.example/shop" does not end with "/shop/agent", the path at which the application has mounted the agents. The URLs in cards answer 404 unless a proxy maps them to this path';
      const repeated =
        'publicUrl: "https://a.example/shop/agent" ends with "/shop/agent", the path of an agent, and cards append this path. They contain "https://a.example/shop/agent/shop/agent"; leave the path out if this URL is wrong';
      // Node's adapter has no mount of its own: the agent is served by its path.
      assert.deepEqual(await warningsFor("https://a.example/shop"), name === "node" ? [] : [missing]);
      assert.deepEqual(await warningsFor("https://a.example/shop/agent"), name === "node" ? [repeated] : []);
    });

    test("routes of the application answer as before, those after the agents too", async (t) => {
      const { url } = await running(t, {});
      assert.equal(await (await fetch(`${url}/app`)).text(), "app");
      assert.equal(await (await fetch(`${url}/later`)).text(), "later");
    });

    test("the root of the application stays its own, for browsers too", async (t) => {
      const apps = [await running(t, {})];
      // Several agents by path in a handler at the root: its list of them gives way.
      if (name !== "next") apps.push(await running(t, { at: "", agent: { "/shop/agent": echo() } }));
      for (const { url } of apps) {
        for (const Accept of ["text/html,*/*;q=0.8", "application/json", "*/*"])
          assert.equal(await (await fetch(url, { headers: { Accept } })).text(), "root", Accept);
        assert.equal(await textOf(await call(`${url}/shop/agent`)), ": hi");
      }
    });

    test.skipIf(name === "next")(
      "an agent at the root leaves paths alone that name no operation",
      async (t) => {
        const { url } = await running(t, { at: "" });
        assert.equal(await (await fetch(`${url}/app`)).text(), "app");
        assert.equal(await (await fetch(`${url}/later`)).text(), "later");
        assert.equal((await fetch(`${url}/nothing/here`)).status, 404);
        assert.equal(await textOf(await call(url)), ": hi");
        assert.equal((await fetch(`${url}/tasks/unknown`, { headers: version })).status, 404);
      },
    );

    test("SEC-01: the application's own authentication names the caller, and refuses", async (t) => {
      const { url } = await running(t, { identifies: true });
      assert.equal(await textOf(await call(`${url}/shop/agent`, "hi", { "X-User": "ann" })), "ann: hi");
      const refused = await call(`${url}/shop/agent`);
      assert.equal(refused.status, 401);
    });

    test("a principal that fails is named in the log as the option that it is", async (t) => {
      const { logger, entries } = notebook();
      const principal = () => {
        throw new Error("There is no session store");
      };
      const options = { logger, principal } as ServerOptions;
      const { url } = await running(t, { options });
      const { error } = (await (await call(`${url}/shop/agent`)).json()) as any;
      assert.equal(error.code, -32603);
      const failures = entries
        .filter(({ level }) => level === "error")
        .map(({ facts }) => (facts as any).err?.message);
      assert.deepEqual(failures, ["The hook principal failed: There is no session store"]);
      // The handlers of Next begin with the first request.
      if (name === "next") return;
      await assert.rejects(
        async () => (await running(t, { options: { principal: "ann" } as ServerOptions })).url,
        { message: "principal must be a function" },
      );
    });

    test("a body is read with limits", async (t) => {
      const { url } = await running(t, { options: { limits: { body: 1000 } } });
      assert.equal((await call(`${url}/shop/agent`, "x".repeat(2000))).status, 413);
    });

    test("a body that is not UTF-8 is refused, and one with U+FFFD in it is read", async (t) => {
      const { url } = await running(t, {});
      const send = (body: string | Uint8Array<ArrayBuffer>) =>
        fetch(`${url}/shop/agent`, { method: "POST", headers: json, body });
      const written = callText("SendMessage", "\uFFFD");
      const broken = Uint8Array.from(Buffer.from(callText("SendMessage", "\xE9"), "latin1"));
      assert.equal(((await (await send(broken)).json()) as any).error.code, -32700);
      assert.equal(await textOf(await send(written)), ": \uFFFD");
    });

    test.runIf(reading.includes(name))(
      "a body that was parsed before is used, with the same limit",
      async (t) => {
        const { url } = await running(t, { reads: "parses", options: { limits: { body: 1000 } } });
        assert.equal(await textOf(await call(`${url}/shop/agent`)), ": hi");
        assert.equal((await call(`${url}/shop/agent`, "x".repeat(2000))).status, 413);
      },
    );

    test.runIf(reading.includes(name) || name === "next")(
      "a body that was consumed before is an error whose log line says what to do",
      async (t) => {
        const { logger, entries } = notebook();
        const { url } = await running(t, { reads: "consumes", options: { logger } });
        const response = await call(`${url}/shop/agent`);
        assert.equal(((await response.json()) as any).error.code, -32603);
        assert.match(String(entries.map(({ facts }) => (facts as any).err)), /mount the agent before/);
      },
    );

    test("STR-01: events of a stream arrive when they are made", async (t) => {
      const { agent, open } = slow();
      const { url } = await running(t, { agent, compresses: compressing.includes(name) });
      const response = await fetch(`${url}/shop/agent`, {
        method: "POST",
        headers: { ...json, "Accept-Encoding": "gzip" },
        body: callText("SendStreamingMessage"),
      });
      const reader = (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes("WORKING")) text += (await reader.read()).value;
      open();
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
      assert.match(text, /COMPLETED/);
    });

    test("STR-04: a reader that leaves ends the stream, and the executor goes on", async (t) => {
      const { agent, open } = slow();
      const { url, port } = await running(t, { agent });
      const id = await new Promise<string>((resolve) => {
        const options = { port, path: "/shop/agent", method: "POST", headers: { ...json } };
        const sent = request(options, (res) => {
          res.once("data", (piece) => {
            resolve(/"id":"([^"]+)"/.exec(String(piece).slice(String(piece).indexOf("task")))?.[1] ?? "");
            res.destroy();
          });
        });
        sent.on("error", () => undefined);
        sent.end(callText("SendStreamingMessage"));
      });
      open();
      await vi.waitUntil(async () => {
        const task = await fetch(`${url}/shop/agent/tasks/${id}`, { headers: version });
        return /COMPLETED/.test(await task.text());
      });
    });

    test("closing ends open streams in good order", async () => {
      const { agent } = slow();
      const app = await embed(agent, {}, { at: "/shop/agent" });
      const response = await fetch(`${app.url}/shop/agent`, {
        method: "POST",
        headers: json,
        body: callText("SendStreamingMessage"),
      });
      const text = response.text();
      await app.close();
      assert.match(await text, /WORKING/);
    });
  });
}

test("the application's authentication and another one exclude each other", () => {
  const principal = () => undefined;
  const options: ServerOptions = { auth: { authenticate: () => undefined } };
  assert.throws(() => frameworks.node?.(echo(), { ...options, principal } as never, { at: "" }), /principal/);
});

test("Fastify refuses a prefix whose slash at the end would not be in the card, and takes the root", async (t) => {
  const embed = frameworks.fastify ?? assert.fail();
  await assert.rejects(embed(echo(), {}, { at: "/shop/agent/" }), /prefix: write "\/shop\/agent"/);
  const app = await embed(echo(), {}, { at: "/" });
  t.onTestFinished(() => app.close());
  const card = (await (await fetch(`${app.url}/.well-known/agent-card.json`)).json()) as any;
  assert.equal(card.supportedInterfaces[0].url, app.url);
});

test("Fastify rejects the registration when the application has the route already", async (t) => {
  const app = fastify();
  t.onTestFinished(() => app.close());
  app.all("/*", () => "own");
  await assert.rejects(async () => await app.register(fastifyAgents(echo())), /already declared/);
});

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "vitest";
import * as authHeaders from "../../examples/auth-headers/agent.js";
import * as cancel from "../../examples/cancel/agent.js";
import * as currency from "../../examples/currency/agent.js";
import { planner } from "../../examples/demo/agent.js";
import * as filesAndData from "../../examples/files-and-data/agent.js";
import { press } from "../../examples/handler/agent.js";
import * as hello from "../../examples/hello/agent.js";
import * as multiTurn from "../../examples/multi-turn/agent.js";
import * as operations from "../../examples/operations/agent.js";
import { host } from "../../examples/orchestrator/agent.js";
import { specialists } from "../../examples/orchestrator/specialists.js";
import * as push from "../../examples/push/agent.js";
import { agents as researchers } from "../../examples/research/agents.js";
import { modelOf } from "../../examples/research/model.js";
import * as skills from "../../examples/skills/agent.js";
import * as streaming from "../../examples/streaming/agent.js";
import { insurer } from "../../examples/typed-skills/agent.js";
import { echo, mockAgent } from "../../src/cli/commands/serve.js";
import { agentSource } from "../../src/cli/init/sources.js";
import { type ConformanceOptions, checkAgent } from "../../src/conformance/check-agent.js";
import type { Agent } from "../../src/index.js";
import { apiKeys, bearerTokens, type ServeOptions, serve } from "../../src/server/index.js";

/** Serves an agent until the test ends. */
async function served(t: TestContext, agents: Parameters<typeof serve>[0], options?: ServeOptions) {
  const server = await serve(agents, options);
  t.onTestFinished(() => server.close(0));
  return server.url;
}

/** The agent in code that people copy, up to the point where the code serves it. */
async function copied(t: TestContext, name: string, code: string): Promise<Agent> {
  const [definition = ""] = code.split(/^const (?:\{ url \}|\{ PORT)/m);
  // Inside the repository, so that the package's own name leads to its sources.
  const file = new URL(`../../.cache/conformance-${name}.mjs`, import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, `${definition}\nexport { agent };\n`);
  t.onTestFinished(() => rmSync(file));
  return (await import(file.href)).agent;
}

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const [, shouter = ""] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];

/** Every agent that a newcomer meets first, and where it is served. */
const agents: Readonly<Record<string, (t: TestContext) => Promise<string>>> = {
  "the agent of the README": async (t) => served(t, await copied(t, "readme", shouter)),
  "the agent of parley init": async (t) =>
    served(t, await copied(t, "init", agentSource.replace("export const agent", "const agent"))),
  "the agent of parley serve": (t) => served(t, mockAgent(echo)),
  "examples/auth-headers": (t) =>
    served(t, authHeaders.agent, {
      auth: { verifiers: { key: apiKeys({ k: "alice" }), login: bearerTokens({ b: "bob" }) } },
    }),
  "examples/cancel": (t) => served(t, cancel.agent),
  "examples/currency": (t) => served(t, currency.agent),
  "examples/demo": (t) => served(t, planner),
  "examples/files-and-data": (t) => served(t, filesAndData.agent),
  "examples/handler": (t) =>
    served(t, press(), { versions: ["1.0", "0.3"], auth: { verifiers: { key: apiKeys({ k: "alice" }) } } }),
  "examples/hello": (t) => served(t, hello.agent),
  "examples/multi-turn": (t) => served(t, multiTurn.agent),
  "examples/orchestrator": async (t) => served(t, host(await served(t, specialists))),
  // Without the leave to call this machine, which the example gives for its own webhook and which is a violation.
  "examples/operations": (t) => served(t, operations.agent),
  "examples/push": (t) => served(t, push.agent),
  "examples/skills": (t) => served(t, skills.insurer),
  "examples/streaming": (t) => served(t, streaming.agent),
  "examples/typed-skills": (t) => served(t, insurer),
  ...Object.fromEntries(
    Object.keys(specialists).map((path) => [
      `examples/orchestrator${path}`,
      async (t: TestContext) => `${await served(t, specialists)}${path}`,
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(researchers(modelOf({}))).map((path) => [
      `examples/research${path}`,
      async (t: TestContext) => `${await served(t, researchers(modelOf({})))}${path}`,
    ]),
  ),
};

/** What a person would add to the command. */
const options: Readonly<Record<string, ConformanceOptions>> = {
  "examples/auth-headers": { credentials: { apiKey: "k" } },
  "examples/handler": { credentials: { apiKey: "k" } },
  // It prints until it is canceled.
  "examples/cancel": { responseTimeout: 2 },
};

test("every example has an agent in the table", () => {
  // The probe agent has a test of its own, which demands more of it: that everything is provoked. The agent of the deployment counts for
  // two seconds in each task, so that restarts find it at work: test/deployment serves it.
  const apart = ["probe-agent", "deployment"];
  const folders = readdirSync(new URL("../../examples", import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !apart.includes(entry.name))
    .map(({ name }) => `examples/${name}`);
  const named = new Set(Object.keys(agents).map((name) => name.split("/").slice(0, 2).join("/")));
  assert.deepEqual(
    folders.filter((folder) => !named.has(folder)),
    [],
  );
});

for (const [name, start] of Object.entries(agents)) {
  test.concurrent(`${name} meets every requirement that can be seen from outside`, async (t) => {
    const url = new URL(await start(t));
    const { checks } = await checkAgent(url, options[name]);
    const violated = checks.filter(({ verdict }) => verdict === "violated");
    assert.ok(checks.some(({ verdict }) => verdict === "met"));
    assert.deepEqual(
      violated.map(({ ids, over, claim, found }) => `${ids} ${over}: ${claim}: ${found}`),
      [],
    );
  });
}

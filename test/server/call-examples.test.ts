import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type TestContext, test } from "vitest";
import * as client from "../../src/client/index.js";
import type { CardInput } from "../../src/index.js";
import { apiKeys, basicUsers, bearerTokens, type ServeOptions } from "../../src/server/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { program } from "../support/program.js";
import { blocksOf, echo, pageAt, travel } from "./browser.js";

/** Serves an echo and gives the blocks of its page. */
async function blocks(t: TestContext, card: Partial<CardInput>, options: ServeOptions = {}) {
  const skills = [{ ...(travel.skills?.[0] as NonNullable<CardInput["skills"]>[number]) }];
  const { url } = await serveFor(t, { card: { ...plainCard, skills, ...card }, execute: echo }, options);
  const [curl = "", parley = "", typeScript = ""] = blocksOf(await pageAt(url));
  return { url, curl, parley, typeScript };
}

const variables = {
  API_KEY: "secret&key",
  TOKEN: "token",
  NAME: "alice",
  PASSWORD: "pass word",
} as const;

async function shell(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, ...variables, no_proxy: "*" },
  });
  return stdout;
}

/** The program of a page, in this process. */
async function runProgram(program: string): Promise<string> {
  const said: string[] = [];
  const body = program.replace(/^import \{ .* \} from "a2a-parley\/client";\n/, "");
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const env = { env: variables };
  const run = new AsyncFunction("basic", "connect", "textOf", "console", "process", body);
  await run(
    client.basic,
    client.connect,
    client.textOf,
    { log: (line: unknown) => said.push(typeof line === "string" ? line : JSON.stringify(line)) },
    env,
  );
  return said.join("\n");
}

const keyIn = (location: string): Partial<CardInput> => ({
  securitySchemes: { key: { apiKeySecurityScheme: { location, name: "x-key" } } },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
});
const http = (scheme: string): Partial<CardInput> => ({
  securitySchemes: { "my login": { httpAuthSecurityScheme: { scheme } } },
  securityRequirements: [{ schemes: { "my login": { list: [] } } }],
});
const keys = { auth: { verifiers: { key: apiKeys({ "secret&key": "alice" }) } } };

const ways: [name: string, said: string, card: Partial<CardInput>, options: ServeOptions][] = [
  ["JSON-RPC", "anyone", {}, {}],
  ["HTTP+JSON", "anyone", {}, { bindings: ["HTTP+JSON"], paths: { httpJson: "/rest" } }],
  ["version 0.3", "anyone", {}, { versions: ["0.3"] }],
  ["the first draft", "anyone", {}, { versions: ["0.1"] }],
  ["a key in a header", "alice", keyIn("header"), keys],
  ["a key in a cookie", "alice", keyIn("cookie"), keys],
  [
    "a token",
    "alice",
    http("Bearer"),
    { auth: { verifiers: { "my login": bearerTokens({ token: "alice" }) } } },
  ],
  [
    "a name and a password",
    "alice",
    http("Basic"),
    {
      auth: {
        verifiers: {
          "my login": basicUsers(({ user, password }) => (password === "pass word" ? user : undefined)),
        },
      },
    },
  ],
];

for (const [name, said, card, options] of ways) {
  test(`what the page says about calling the agent works as it is: ${name}`, async (t) => {
    const { curl, typeScript } = await blocks(t, card, options);
    const answer = await shell(curl.replace("curl ", "curl -s "));
    assert.ok(answer.includes(`${said} said Oslo, it's for 300 €`), `${curl}\n${answer}`);
    const printed = await runProgram(typeScript);
    assert.ok(printed.includes(`${said} said Oslo, it's for 300 €`), `${typeScript}\n${printed}`);
  });
}

test("the command of the page works as it is", async (t) => {
  const { parley } = await blocks(t, keyIn("header"), keys);
  assert.match(parley, /^A2ACLI_API_KEY="\$API_KEY" npx a2a-parley send 'Oslo, it'\\''s for 300 €' \\\n/);
  const command = program("src/cli/main.ts").map((word) => `'${word}'`);
  const answer = await shell(`npx() { shift; '${process.execPath}' ${command.join(" ")} "$@"; }\n${parley}`);
  assert.match(answer, /alice said Oslo, it's for 300 €/);
});

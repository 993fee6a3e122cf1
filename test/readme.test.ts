import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type TestContext, test } from "vitest";
import { planner } from "../examples/demo/agent.js";
import { shows, steps } from "./docs/console-blocks.js";
import { serveFor } from "./support/peer.js";
import { program } from "./support/program.js";

/** The agent of the README, and its client, which calls the agent. */
async function readme(): Promise<{ agent: string; client: string }> {
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [agent = "", client = ""] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block);
  return {
    agent: agent.replace("port: 4000", "port: 0"),
    client: client.replace('"http://127.0.0.1:4000"', "url"),
  };
}

/** Runs a program of several pieces, and returns what it prints. */
async function run(t: TestContext, name: string, ...source: string[]): Promise<string> {
  // Inside the repository, so that the package's own name leads to its sources.
  const file = new URL(`../${name}`, import.meta.url).pathname;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, [...source, "process.exit();"].join("\n"));
  t.onTestFinished(() => rm(file));
  const { stdout } = await promisify(execFile)(process.execPath, program(name));
  return stdout;
}

test("the ten-line agent of the README answers its client", async (t) => {
  const { agent, client } = await readme();
  assert.equal(await run(t, ".cache/readme-example.ts", agent, client), "HELLO\n");
});

/** The published clients of both versions, by their packages: what each calls, and how it writes a message. */
const officialClients = {
  "@a2a-js/sdk": `{
    messageId: "m", role: 1, contextId: "", taskId: "", extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: "text", value: "hello" }, filename: "", mediaType: "", metadata: undefined }],
  }`,
  "a2a-js-sdk-0.3": `{
    kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hello" }],
  }`,
};

for (const [sdk, message] of Object.entries(officialClients)) {
  for (const transport of ["JSONRPC", "HTTP+JSON"]) {
    test(`VER-07: the ten-line agent of the README answers the client of ${sdk} over ${transport}`, async (t) => {
      const { agent } = await readme();
      const call = `
        import { ClientFactory, ClientFactoryOptions } from "${sdk}/client";
        const options = { preferredTransports: ["${transport}"] };
        const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
        const client = await factory.createFromUrl(url);
        const message: any = ${message};
        const answer: any = await client.sendMessage({ tenant: "", configuration: undefined, metadata: undefined, message } as any);
        const [part] = answer.artifacts[0].parts;
        console.log(part.text ?? part.content.value);
        const states: unknown[] = [];
        for await (const event of client.sendMessageStream({ tenant: "", message: { ...message, messageId: "n" } } as any)) {
          const update: any = "payload" in event ? (event as any).payload.value : event;
          if (update.status) states.push(update.status.state);
        }
        console.log(states.at(-1));
      `;
      const file = `.cache/readme-${sdk.replace("/", "-")}-${transport}.ts`;
      const done = sdk === "@a2a-js/sdk" ? "3" : "completed";
      assert.equal(await run(t, file, agent, call), `HELLO\n${done}\n`);
    });
  }
}

test("the curl transcripts of the README are true", async (t) => {
  const { url } = await serveFor(t, planner);
  const all = steps("README.md");
  assert.equal(all.length, 7);
  let task = "";
  for (const { command, output } of all) {
    const here = command.replace("http://127.0.0.1:41241", url);
    const { stdout } = await promisify(execFile)("bash", ["-c", here], {
      env: { ...process.env, TASK: task },
    });
    task ||= /"task":\{"id":"([^"]+)"/.exec(stdout)?.[1] ?? "";
    const expected = output.trimEnd().split("\n");
    const actual = stdout.trimEnd().split("\n");
    assert.equal(actual.length, expected.length, `${here}\n${stdout}`);
    for (const [index, line] of expected.entries()) {
      assert.ok(shows(line, actual[index] ?? ""), `${here}\nexpected ${line}\nprinted  ${actual[index]}`);
    }
  }
});

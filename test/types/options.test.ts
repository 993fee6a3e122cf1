import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { type ConnectOptions, connect } from "../../src/client/index.js";
import {
  type AgentDefinition,
  artifact,
  completed,
  type Executor,
  type GeneratorExecutor,
  reply,
  textPart,
  userMessage,
  working,
} from "../../src/index.js";
import { createApp, type ServeOptions } from "../../src/server/index.js";
import { resolveServerOptions } from "../../src/server/resolve-options.js";
import { plainCard, serveExecutor } from "../support/peer.js";
import { ts } from "../support/typescript.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiler says of a program that uses the package: one entry for each error, with all of its lines and its advice. */
function errorsOf(source: string): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const name = `${root}test/types/program-of-a-user.ts`;
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.readFile = (file) => (file === name ? source : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(file, source, rest[0]) : getSourceFile(file, ...rest);
  const program = ts.createProgram([name], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(name))
    .map(({ messageText, relatedInformation = [] }) =>
      [messageText, ...relatedInformation.map((related) => related.messageText)]
        .map((text) => ts.flattenDiagnosticMessageText(text, "\n"))
        .join(" "),
    );
}

test("a wrong yield is one line that says what to yield", () => {
  const advice =
    '"execute must yield updates: working(...), artifact(...), completed(...), or return reply(...)"';
  const bodies = [
    "async *execute({ text }) { yield text; }",
    'async *execute({ text }) { yield working(text); yield 5; yield completed("done"); }',
    "async *execute({ text }) { yield text === '' ? undefined : working(text); }",
    "execute: ({ text }) => text",
    "execute: async ({ text }) => text",
  ];
  const agents = bodies.map((body) => `defineAgent({ card: { name: "a", description: "b" }, ${body} });`);
  const errors = errorsOf(
    `import { completed, defineAgent, working } from "a2a-parley";\n${agents.join("\n")}\ncompleted(); working();`,
  );
  assert.equal(errors.length, bodies.length, errors.join("\n\n"));
  for (const error of errors) {
    assert.equal(error.split("\n").length, 1, error);
    assert.ok(error.includes(advice), error);
  }
});

test("a call on a client whose `await` is missing is one error of the compiler, which names it", () => {
  const errors = errorsOf(
    'import { connect } from "a2a-parley/client";\nawait connect("http://127.0.0.1:1").sendText("hi");',
  );
  assert.deepEqual(errors, [
    "Property 'sendText' does not exist on type 'Promise<Client<SkillMap>>'. Did you forget to use 'await'?",
  ]);
});

test("a generator runs another one with yield*, and gets its reply", async (t) => {
  const half: GeneratorExecutor = async function* ({ text }) {
    yield working(text);
    return reply("from the inner one");
  };
  const whole: GeneratorExecutor = async function* (context) {
    const inner = yield* half(context);
    assert.ok(inner);
    yield completed("from the outer one");
  };
  const execute: Executor = whole;
  const { rpc } = await serveExecutor(t, execute);
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] };
  const { result } = await rpc.call("SendMessage", { message });
  assert.equal(result.task.status.message.parts[0].text, "from the outer one");
});

/** Whether an option is given: unknown to the compiler. */
const given: boolean = Math.random() > 2;

test("an option that is undefined is an option that is left out", async (t) => {
  const execute = async () => reply("hi");
  const agent: AgentDefinition = {
    card: { ...plainCard, version: given ? "2" : undefined, provider: undefined, skills: undefined },
    execute,
    cancel: given ? () => undefined : undefined,
    attempts: undefined,
    tasks: undefined,
    taskAfter: undefined,
  };
  const options: ServeOptions = {
    push: given ? {} : undefined,
    versions: undefined,
    paths: { jsonRpc: undefined, httpJson: undefined },
    limits: { body: undefined },
    auth: undefined,
    cors: undefined,
    logger: given ? false : undefined,
  };
  assert.deepEqual(
    { ...resolveServerOptions(options), store: 0, logger: 0, patience: 0 },
    { ...resolveServerOptions({}), store: 0, logger: 0, patience: 0 },
  );
  const app = createApp(agent, options);
  t.onTestFinished(() => app.close());
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const connecting: ConnectOptions = {
    timeouts: { total: undefined },
    limits: { answer: undefined },
    retry: { attempts: undefined },
    polling: undefined,
    versions: undefined,
    credentials: given ? { bearer: "x" } : undefined,
  };
  const client = await connect(`http://127.0.0.1:${port}`, connecting);
  const answer = await client.sendMessage({ message: userMessage("hello") }, { timeout: undefined });
  assert.deepEqual(answer.message?.parts, [{ text: "hi" }]);
});

test("no part, message or artifact has a member that is undefined", () => {
  const without = { mediaType: undefined, filename: undefined, metadata: undefined };
  assert.deepEqual(Object.keys(textPart("a", without)), ["text"]);
  assert.deepEqual(Object.keys(userMessage("a", { contextId: undefined, taskId: undefined })).sort(), [
    ...["messageId", "parts", "role"],
  ]);
  const { artifactUpdate } = artifact({ name: undefined, artifactId: "a" }).text("b");
  assert.deepEqual(Object.keys(artifactUpdate.artifact).sort(), ["artifactId", "parts"]);
});

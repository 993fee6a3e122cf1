import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { artifact, authRequired, completed, failed, inputRequired, reply, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { Terminal } from "./terminal.js";

const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ESCAPE = "\u001b";
const UP = `${ESCAPE}[A`;

/** An agent with a gate: after the first chunk it waits until the test opens it. */
async function desk(t: TestContext, streaming = true) {
  let open = (): void => undefined;
  const seen: { text: string; contextId: string; parts: number }[] = [];
  const server = await serve({
    card: {
      name: "Desk",
      description: "Answers.",
      capabilities: { streaming },
      defaultInputModes: ["*/*"],
    },
    async *execute({ text, task, message, contextId, signal }) {
      seen.push({ text, contextId, parts: message.parts.length });
      if (text === "hello")
        return yield reply("hello \u001b]0;pwned\u0007\u001b[31mred\u001b[0m \u009b2Jyou");
      if (text === "fail") return yield failed("it broke");
      if (text === "ask" && !task) return yield inputRequired("Which city?");
      if (text === "login" && !task) {
        yield authRequired("Open https://login.example");
        return undefined;
      }
      yield working("Looking");
      const answer = artifact({ name: "answer" });
      yield answer.text("one ");
      if (text === "slow") {
        await new Promise<void>((resolve) => {
          open = resolve;
          signal.addEventListener("abort", () => resolve());
        });
        if (signal.aborted) return undefined;
      }
      for (const word of ["two ", "three"]) yield answer.text(word);
      return yield completed();
    },
  });
  t.onTestFinished(() => server.close());
  return { url: server.url, seen, open: () => open() };
}

/** A chat at a terminal. `type` waits for the prompt, then types a line. */
async function sit(t: TestContext, url: string, env: Record<string, string> = {}, ...flags: string[]) {
  const shell = new Terminal(t, url);
  Object.assign(shell.env, env);
  const keys = shell.sitDown();
  const ended = shell.parley("chat", ...flags);
  let at = 0;
  const shows = async (what: string | RegExp) => {
    at = await shell.shows(what, at);
  };
  await shows("> ");
  return { shell, keys, ended, shows, type: (line: string) => void keys.write(line + ENTER) };
}

test("A2ACLI_CHAT_001: chunks of a text are shown on one line as they come, after the agent's progress", async (t) => {
  const { url, open } = await desk(t);
  const { shell, ended, shows, type, keys } = await sit(t, url);
  type("slow");
  await shows("working: Looking");
  await shows("one ");
  assert.ok(!shell.screen.includes("two"), "shown before the agent goes on");
  open();
  await shows("two three\n");
  assert.match(shell.screen, /\none two three\n/);
  await shows("> ");
  keys.write(CTRL_D);
  const { exit, err } = await ended;
  assert.equal(exit, 0);
  assert.match(err, /hint: parley chat --context-id [0-9a-f-]{36} continues this conversation\n$/);
});

test("A2ACLI_CHAT_001, A2ACLI_AUTH_011: a prompt says what a waiting task needs, and the answer goes to it", async (t) => {
  const { url, seen } = await desk(t);
  const { shell, ended, shows, type } = await sit(t, url);
  type("ask");
  await shows("Which city?\n");
  await shows("answer> ");
  type("Lisbon");
  await shows("two three");
  await shows(/\n?> /);
  type("login");
  await shows("authorization needed: Open https://login.example");
  await shows("authorize> ");
  type("");
  await shows("the task is still waiting");
  await shows("authorize> ");
  type("done");
  await shows("two three");
  type("/exit");
  assert.equal((await ended).exit, 0);
  assert.deepEqual(
    seen.map(({ text }) => text),
    ["ask", "Lisbon", "login", "done"],
  );
  assert.equal(new Set(seen.map(({ contextId }) => contextId)).size, 1);
  assert.ok(!shell.screen.includes("undefined"));
});

test("chat cancels what runs on the first Ctrl+C, and leaves on the second", async (t) => {
  for (const streaming of [true, false]) {
    const { url } = await desk(t, streaming);
    const { ended, shows, type, keys, shell } = await sit(t, url, {}, "--poll-interval", "20ms");
    type("slow");
    if (streaming) await shows("one ");
    else while (!(await new Terminal(t, url).parley("task", "list")).out.includes("WORKING"));
    keys.write(CTRL_C);
    await shows(streaming ? "canceled" : "> ");
    if (streaming) await shows("> ");
    const { json } = await new Terminal(t, url).parley("task", "list", "-o", "json");
    if (streaming) assert.equal(json.tasks[0].status.state, "TASK_STATE_CANCELED");
    // A line that is being typed is cleared first.
    keys.write("half a line");
    await shows("half a line");
    keys.write(CTRL_C);
    keys.write(CTRL_C);
    assert.equal((await ended).exit, 0, shell.screen);
  }
});

test("lines that are typed while the agent works are kept, and the arrow key brings earlier ones back", async (t) => {
  const { url, seen, open } = await desk(t);
  const { ended, shows, type, keys, shell } = await sit(t, url);
  type("slow");
  await shows("one ");
  type("hello");
  keys.write("fa");
  open();
  await shows("one two three\n".slice(4));
  await shows("> hello\n");
  await shows("hello red you\n");
  await shows("> fa");
  type("il");
  await shows("failed: it broke");
  await shows("> ");
  keys.write(UP + UP + ENTER);
  await shows("hello red you\n");
  type("/exit");
  await ended;
  assert.deepEqual(
    seen.map(({ text }) => text),
    ["slow", "hello", "fail", "hello"],
  );
  assert.ok(!/one [^t]/.test(shell.screen), "typing is not mixed with the answer");
});

test("commands of the chat: /file, /task, /new, /cancel, /help, and a slash that is text", async (t) => {
  const { url, seen } = await desk(t);
  const { shell, ended, shows, type } = await sit(t, url);
  writeFileSync(join(shell.folder, "photo.png"), "png");
  type("/file photo.png");
  await shows("the next message has photo.png");
  type("what is this");
  await shows("two three");
  type("/task");
  await shows(/^Task: [0-9a-f-]{36}\nContext: .*\nState: TASK_STATE_COMPLETED$/m);
  type("/new");
  type("ask");
  await shows("answer> ");
  type("/cancel");
  await shows("canceled");
  type("//etc");
  await shows("two three");
  type("/fiel x");
  await shows("there is no /fiel; did you mean /file?");
  type("/constructor");
  await shows("there is no /constructor; /help lists the commands");
  type("/file none.png");
  await shows("none.png cannot be read");
  type("/help");
  for (const name of ["/new", "/cancel", "/task", "/file PATH", "/help", "/exit"]) await shows(name);
  type("/exit");
  assert.equal((await ended).exit, 0);
  assert.deepEqual(
    seen.map(({ text, parts }) => [text, parts]),
    [
      ["what is this", 2],
      ["ask", 1],
      ["/etc", 1],
    ],
  );
  assert.notEqual(seen[0]?.contextId, seen[1]?.contextId, "/new begins another context");
});

test("colours are for terminals that want them, and what the agent says never controls the terminal", async (t) => {
  const { url } = await desk(t);
  for (const [env, isColoured] of [
    [{}, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ] as const) {
    const { ended, shows, type } = await sit(t, url, env);
    type("hello");
    await shows("hello red you\n");
    type("fail");
    await shows("it broke");
    type("/exit");
    const { out } = await ended;
    assert.equal(out.includes(`${ESCAPE}[31mfailed: it broke${ESCAPE}[0m`), isColoured);
    assert.ok(out.includes("hello red you\n"));
    const own = [`${ESCAPE}[2m`, `${ESCAPE}[31m`, `${ESCAPE}[33m`, `${ESCAPE}[0m`];
    assert.ok(!own.reduce((rest, colour) => rest.replaceAll(colour, ""), out).includes(ESCAPE));
  }
});

test("from a pipe, every line is a message, commands too, and stdout has the answers alone", async (t) => {
  const { url, seen } = await desk(t);
  const shell = new Terminal(t, url);
  shell.input = "hello\n/new\n\nfail";
  const { exit, out, err } = await shell.parley("chat");
  assert.equal(exit, 0);
  assert.deepEqual(
    seen.map(({ text }) => text),
    ["hello", "/new", "fail"],
  );
  assert.match(out, /^Context: .*\nMessage: .*\nText:\nhello red you\n\nTask: /);
  for (const sign of [ESCAPE, "> ", "/help"]) assert.ok(!(out + err).includes(sign));
  // Typed lines with an output that is no terminal would wait for a person who sees nothing.
  shell.isInputTerminal = true;
  assert.equal((await shell.parley("chat")).exit, 2);
});

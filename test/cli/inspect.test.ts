import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TestContext, test } from "vitest";
import type { Session } from "../../src/inspector/api.js";
import { TOKEN_HEADER } from "../../src/inspector/frames.js";
import { pageFolder } from "../inspector/local.js";
import { Terminal } from "./terminal.js";

/** Runs `parley inspect` until the end of the test; its terminal and URL. */
async function inspecting(t: TestContext, prepare: (shell: Terminal) => void, ...line: string[]) {
  const shell = new Terminal(t);
  shell.inspectorPage = pageFolder(t);
  prepare(shell);
  let ended: Promise<{ exit: number; err: string }> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const told = (out: string) => out.endsWith("}\n") && resolve(JSON.parse(out).url);
    ended = shell.watch(told, "inspect", ...line, "-o", "json");
    ended.then(({ err }) => reject(new Error(err)), reject);
  });
  const stop = async () => {
    shell.interrupt.abort();
    return ended;
  };
  t.onTestFinished(() => void stop());
  return { shell, url, stop };
}

async function sessionAt(url: string): Promise<Session> {
  const { origin, hash } = new URL(url);
  const headers = { [TOKEN_HEADER]: new URLSearchParams(hash.slice(1)).get("token") ?? "" };
  return (await (await fetch(`${origin}/api/session`, { headers })).json()) as Session;
}

test("parley inspect prints the URL of the page, and serves it until Ctrl+C", async (t) => {
  const { shell, url, stop } = await inspecting(t, () => undefined, "localhost:41241#Writer");
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  assert.match(shell.screen, /open this URL in a browser/);
  const session = await sessionAt(url);
  assert.deepEqual(session.target, { url: "http://localhost:41241/#Writer" });
  assert.equal(session.allowsPrivate, false);
  await stop();
  await assert.rejects(fetch(url));
});

test("parley inspect opens a browser by a file for this user alone, which has the token instead of a command line", async (t) => {
  const open = (shell: Terminal) => {
    shell.hasBrowser = true;
  };
  const { shell, url, stop } = await inspecting(t, open, "--allow-private");
  const [page] = shell.pages;
  assert.equal(page?.protocol, "file:");
  const path = fileURLToPath(page ?? "");
  assert.ok(!path.includes(url.split("=")[1] ?? ""), "others can read the path");
  assert.equal(statSync(path).mode & 0o077, 0);
  assert.ok(readFileSync(path, "utf8").includes(`url=${url}`));
  assert.equal((await sessionAt(url)).allowsPrivate, true);
  assert.equal((await sessionAt(url)).target, undefined);
  await stop();
  assert.ok(!existsSync(path), "the file goes with the launch");
});

test("parley inspect --no-open opens no browser, and takes a card in a file", async (t) => {
  const card = { name: "From a file" };
  const prepare = (shell: Terminal) => {
    shell.hasBrowser = true;
    writeFileSync(join(shell.folder, "card.json"), JSON.stringify(card));
  };
  const { shell, url } = await inspecting(t, prepare, "card.json", "--no-open");
  assert.deepEqual(shell.pages, []);
  assert.deepEqual((await sessionAt(url)).target, { card });
});

test("parley inspect says which certificates go together, and that there is no such reference", async (t) => {
  const shell = new Terminal(t);
  shell.inspectorPage = pageFolder(t);
  writeFileSync(join(shell.folder, "me.pem"), "");
  assert.equal((await shell.parley("inspect", "localhost:1", "--client-cert", "me.pem")).exit, 2);
  assert.equal((await shell.parley("inspect", "./none.json")).exit, 3);
  const refusals: readonly [reference: string, exit: number, message: string][] = [
    ["not-a-url", 3, "https://not-a-url/ cannot be reached (ENOTFOUND)"],
    ["http://", 2, '"http://" is not a host, a URL or a file with a card'],
    ["http:///agent", 2, '"http:///agent" is not a host, a URL or a file with a card'],
    ["ftp://a.example", 2, '"ftp://a.example" is not a host, a URL or a file with a card'],
    ["https//a.example", 2, '"https//a.example" is not a host, a URL or a file with a card'],
    ["a.example:99999", 2, '"a.example:99999" is not a host, a URL or a file with a card'],
    ["localhost#%ZZ", 2, '"#%ZZ" is not the name of an agent: write a percent sign as %25'],
    [
      "mailto:ann@a.example",
      2,
      "The URL of an agent cannot contain a user name or a password: give credentials with --bearer or --api-key",
    ],
  ];
  for (const [reference, code, message] of refusals) {
    const { exit, err } = await shell.parley("inspect", reference, "-o", "text");
    assert.equal(exit, code, reference);
    assert.ok(err.startsWith(`error: ${message} (`), err);
  }
});

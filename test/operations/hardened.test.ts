import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "vitest";
import { reply } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { program } from "../support/program.js";
import { root } from "../support/root.js";
import { ways } from "./ways.js";

/** An extension of the server with a JSON Schema. */
const priority = "https://example.com/extensions/priority/v1";
const withoutDepd = ["--require", join(root, "test/operations/without-depd.cjs")];

/** Starts Node; gives the process, and what it prints until its first line has come or it has ended. */
async function start(options: readonly string[], file: string, ...args: string[]) {
  const child = spawn(process.execPath, [...options, ...program(file), ...args]);
  const ended = once(child, "close");
  const printed = { out: "", err: "" };
  child.stderr.on("data", (text) => {
    printed.err += String(text);
  });
  const line = new Promise<void>((resolve) => {
    child.stdout.on("data", (text) => {
      printed.out += String(text);
      if (printed.out.includes("\n")) resolve();
    });
  });
  await Promise.race([line, ended]);
  return { ...printed, child, ended };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill();
  await ended;
}

for (const flag of ["--disallow-code-generation-from-strings", "--frozen-intrinsics"]) {
  test(`a server answers in every version and binding under ${flag} when depd is replaced`, async () => {
    const { out, err, child, ended } = await start(
      [flag, ...withoutDepd],
      "test/operations/hardened-server.ts",
    );
    try {
      assert.match(out, /^http:/, err);
      for (const way of ways) {
        const send = async (body: unknown, headers = {}) => {
          const response = await fetch(out.trim() + way.path.send, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...way.headers, ...headers },
            body: typeof body === "string" ? body : JSON.stringify(body),
          });
          return response.text();
        };
        assert.match(await send(way.body("hello", false)), /"text":"hello"/, way.name);
        // Refusals take no trace of the stack, which is a setting of `Error`.
        assert.doesNotMatch(await send("nonsense"), /INTERNAL_ERROR|-32603/, way.name);
        assert.doesNotMatch(
          await send(way.body("hello", false, { params: { message: 7 } })),
          /INTERNAL_ERROR|-32603/,
        );
        const extended = (level: unknown) =>
          send(way.body("hello", false, { params: { metadata: { [priority]: { level } } } }), {
            "A2A-Extensions": priority,
            "X-A2A-Extensions": priority,
          });
        assert.match(await extended(1), /"text":"hello"/, way.name);
        assert.match(await extended("high"), /level.* must be a whole number/, way.name);
      }
    } finally {
      await stop(child, ended);
    }
  });

  test(`a client calls an agent under ${flag}`, async (t) => {
    const server = await serveFor(t, {
      card: plainCard,
      execute: async ({ text }) => reply(text),
    });
    const { out, err, child, ended } = await start([flag], "test/operations/hardened-client.ts", server.url);
    await stop(child, ended);
    assert.match(out, /"text":"hello"/, err);
  });

  test(`docs/security.md: depd is what keeps a server from starting under ${flag}`, async () => {
    const { out, err, child, ended } = await start([flag], "test/operations/hardened-server.ts");
    await stop(child, ended);
    assert.equal(out, "", "a server starts: the page is out of date");
    assert.match(err, /node_modules\/depd\//);
  });
}

test("skills are served by the fetch host and called without code from strings", async () => {
  const flag = "--disallow-code-generation-from-strings";
  const { out, err, child, ended } = await start([flag], "test/operations/skills-client.ts");
  await stop(child, ended);
  assert.ok(out !== "", err);
  const message = "The input of the skill is not valid: message.parts[0].data.amount must be at least 1";
  assert.deepEqual(JSON.parse(out), [{ premium: 4 }, { premium: 2 }, { premium: 1 }, message]);
});

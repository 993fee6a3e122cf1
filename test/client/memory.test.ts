import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { test } from "vitest";
import { program } from "../support/program.js";
import { flood, head, hostileAgent } from "./hostile-agent.js";
import { task } from "./scripted.js";

const MIB = 1024 * 1024;
const json = (socket: Socket, body: string | Buffer, more: readonly string[] = []) => {
  socket.write(head("application/json", more));
  socket.end(body);
};
const frame = (event: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: event })}\n\n`;
const part = (text: string) => ({ artifactId: "a", parts: [{ text }] });
const opened = head("text/event-stream") + frame({ task });

/** What agents do with a call, by path. */
const behaviours: Readonly<Record<string, (socket: Socket) => unknown>> = {
  "/endless": (socket) => {
    socket.write(head("application/json"));
    return flood(socket, " ".repeat(MIB));
  },
  "/bomb": (socket) => json(socket, gzipSync(Buffer.alloc(64 * MIB, " ")), ["Content-Encoding: gzip"]),
  "/objects": (socket) => json(socket, `[${"{},".repeat(11 * MIB - 2)}0]`),
  "/lists": (socket) => json(socket, `[${"[],".repeat(11 * MIB - 2)}0]`),
  "/event/stream": (socket) => {
    socket.write(`${opened}data: `);
    return flood(socket, "x".repeat(MIB));
  },
  "/objects/stream": (socket) => socket.end(`${opened}data: [${"{},".repeat(5 * MIB)}0]\n\n`),
  "/artifact/stream": (socket) => {
    socket.write(opened);
    const artifactUpdate = { taskId: "t", contextId: "c", artifact: part("x".repeat(MIB)), append: true };
    return flood(socket, frame({ artifactUpdate }));
  },
  "/artifacts/stream": async (socket) => {
    socket.write(opened);
    for (let number = 0; !socket.destroyed; number++) {
      const artifact = { ...part("x".repeat(MIB)), artifactId: String(number) };
      const isTaken = socket.write(frame({ artifactUpdate: { taskId: "t", contextId: "c", artifact } }));
      if (!isTaken) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    }
  },
};

test("SEC-16: no answer or stream exhausts a process of 256 MiB, at the default limits", async (t) => {
  const { url } = await hostileAgent(t, async (socket, path) => {
    await behaviours[path]?.(socket);
  });
  const urls = Object.keys(behaviours).map((path) => url + path);
  const line = ["--max-old-space-size=256", ...program("test/client/small-client.ts"), ...urls];
  const { stdout } = await promisify(execFile)(process.execPath, line);
  assert.deepEqual(
    stdout.trim().split("\n"),
    urls.map(() => "RESPONSE_TOO_LARGE"),
  );
});

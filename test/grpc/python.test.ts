import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { test } from "vitest";
import { completed, working } from "../../src/index.js";
import { service } from "../support/grpc-peer.js";
import { plainCard, serveGrpc } from "../support/peer.js";

/** Debian's Python, when its grpcio is there. */
const python = "/usr/bin/python3";
const isThere = spawnSync(python, ["-c", "import grpc, google.protobuf"]).status === 0;

test.skipIf(!isThere)(
  "G-01, G-02, G-06, G-09, G-14: a client of Python's grpcio sends, reads, lists, streams and is refused",
  async (t) => {
    const card = { ...plainCard, capabilities: { extendedAgentCard: true } };
    const { grpcAddress } = await serveGrpc(
      t,
      {
        card,
        extendedCard: () => ({ name: "Extended" }) as never,
        extendedCardForAnyone: true,
        execute: async function* () {
          yield working("on it");
          yield completed("döne");
        },
      },
      { push: {} },
    );
    const proto = fromJson(FileDescriptorProtoSchema, (await service.descriptor()) as JsonValue);
    const child = spawn(python, [fileURLToPath(new URL("python-client.py", import.meta.url))]);
    child.stdin.end(
      `${grpcAddress} ${Buffer.from(toBinary(FileDescriptorProtoSchema, proto)).toString("base64")}`,
    );
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    const exit = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(exit, 0, errors);
    const lines = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const told = Object.fromEntries(lines.map(({ name, value }) => [name, value]));
    const { task } = told.sent;
    assert.equal(task.status.message.parts[0].text, "döne");
    assert.deepEqual(task.history[0].parts, [{ text: "héllo" }, { data: null }, { raw: "AAEC" }]);
    assert.deepEqual([told.got.id, told.got.history], [task.id, undefined]);
    assert.equal(told.listed.tasks.length, 1);
    assert.deepEqual(told.streamed, ["task", "statusUpdate"]);
    assert.deepEqual(told.refused, ["NOT_FOUND", "Task not found", true]);
    assert.deepEqual([told.created, told.configs], ["https://example.com/hook", 1]);
    assert.equal(told.card, "Extended");
  },
);

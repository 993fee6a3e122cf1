import assert from "node:assert/strict";
import { test } from "vitest";
import type { HostRequest } from "../../../src/server/host.js";
import type { Codec } from "../../../src/versions/codec.js";
import { codec } from "../../../src/versions/v1.0/codec.js";
import { drivers, httpJson, jsonRpc } from "./exchange.js";
import { type Script, scripted } from "./scripted-agent.js";

const task = { id: "t", status: { state: "TASK_STATE_WORKING" as const } };
const script: Script = {
  getTask: async () => task,
  sendMessage: async () => ({ task }),
  async *subscribeToTask() {
    yield { task };
  },
};
const headers = (more: HostRequest["headers"]) => ({ headers: { "a2a-version": undefined, ...more } });

/** A codec of the version that requests without a version speak, with one method of its own. */
const older: Codec = {
  ...codec,
  version: "0.3",
  methods: new Map([["tasks/get", codec.methods.get("GetTask")!]]),
  routes: [],
};

for (const driver of drivers) {
  const get = (agent = scripted(script), more: Partial<HostRequest> = {}) =>
    driver.call(agent, "GetTask", { id: "t" }, more);

  for (const version of ["1.0", " 1.0 ", "1.0.1"]) {
    test(`VER-05, VER-08, VER-14: the header "${version}" is version 1.0 [${driver.name}]`, async () => {
      assert.deepEqual((await get(scripted(script), headers({ "a2a-version": version }))).result, task);
    });
  }

  for (const version of ["0.3", "1.1", "2.0", "v1.0", "1", "latest"]) {
    test(`VER-02, VER-09, VER-10, VER-11, VER-14, VER-15: version ${version} is refused with a list of what is offered [${driver.name}]`, async () => {
      const agent = scripted(script);
      const { error, status } = await get(agent, headers({ "a2a-version": version }));
      assert.equal(error?.code, "VERSION_NOT_SUPPORTED");
      assert.deepEqual(error.metadata, { requestedVersion: version, supportedVersions: "1.0" });
      assert.equal(status, driver === jsonRpc ? 200 : 400);
      assert.deepEqual(agent.seen, []);
    });
  }

  for (const [name, more] of [
    ["absent", {}],
    ["empty", { "a2a-version": "" }],
  ] as const) {
    test(`VER-07, VER-12: an ${name} version is 0.3, and the refusal asks for the header [${driver.name}]`, async () => {
      const { error } = await get(scripted(script), headers(more));
      assert.equal(error?.code, "VERSION_NOT_SUPPORTED");
      assert.match(error.message, /A2A-Version: 1\.0/);
      assert.deepEqual(error.metadata, { requestedVersion: "0.3", supportedVersions: "1.0" });
    });
  }

  test(`VER-12: with the switch on, method or path say the version [${driver.name}]`, async () => {
    const agent = scripted(script, undefined, { inferVersion: true });
    assert.deepEqual((await get(agent, headers({}))).result, task);
    assert.equal(agent.seen[0]?.call.version, "1.0");
  });

  test(`VER-17, VER-18: an agent that offers several versions answers each call in its own [${driver.name}]`, async () => {
    const newer: Codec = { ...codec, version: "1.1", encodeResponse: () => ({ newer: true }) };
    const agent = scripted(script, undefined, {
      codecs: new Map([newer, codec].map((one) => [one.version, one])),
    });
    assert.deepEqual((await get(agent, headers({ "a2a-version": "1.0" }))).result, task);
    assert.deepEqual((await get(agent, headers({ "a2a-version": "1.1" }))).result, { newer: true });
    assert.deepEqual(
      agent.seen.map(({ call }) => call.version),
      ["1.0", "1.1"],
    );
  });

  test(`VER-12: also beside an older version, method or path of 1.0 without a version are a contradiction [${driver.name}]`, async () => {
    const codecs = new Map([codec, older].map((one) => [one.version, one]));
    for (const more of [headers({}), headers({ "a2a-version": "0.3" })]) {
      const { error } = await get(scripted(script, undefined, { codecs }), more);
      assert.equal(error?.code, "VERSION_NOT_SUPPORTED");
      assert.equal(error.metadata?.supportedVersions, "1.0,0.3");
    }
  });
}

test("VER-08: a method of the older version is answered by it, named or not, and one that no version has is not found", async () => {
  const codecs = new Map([codec, older].map((one) => [one.version, one]));
  const call = async (method: string, version: string | undefined) => {
    const agent = scripted(script, undefined, { codecs });
    const body = JSON.stringify({ jsonrpc: "2.0", id: "id-1", method, params: { id: "t" } });
    const { error } = await jsonRpc.call(
      agent,
      "GetTask",
      {},
      { body, ...headers({ "a2a-version": version }) },
    );
    return error?.code ?? agent.seen[0]?.call.version;
  };
  assert.equal(await call("tasks/get", undefined), "0.3");
  assert.equal(await call("tasks/get", "0.3"), "0.3");
  assert.equal(await call("tasks/get", "1.0"), "METHOD_NOT_FOUND");
  assert.equal(await call("tasks/dance", undefined), "METHOD_NOT_FOUND");
  assert.equal(await call("GetTask", "1.0"), "1.0");
});

const versionQueries: [path: string, header: string | undefined, code: string | undefined][] = [
  ["?A2A-Version=1.0", undefined, undefined],
  ["?a2a-version=1.0", undefined, undefined],
  ["?A2A-Version=1.0.1", "", undefined],
  ["?A2A-Version=0.3&A2A-Version=1.0", undefined, undefined],
  ["?A2A-Version=9.9", "1.0", undefined],
  ["?A2A-Version=1.0", "9.9", "VERSION_NOT_SUPPORTED"],
  ["?A2A-Version=", undefined, "VERSION_NOT_SUPPORTED"],
];

for (const [query, header, code] of versionQueries) {
  test(`VER-04, VER-05, VER-06: query ${query} with header ${header} gives ${code ?? "an answer"}`, async () => {
    const more = headers({ "a2a-version": header });
    const body = JSON.stringify({ jsonrpc: "2.0", id: "id-1", method: "GetTask", params: { id: "t" } });
    const rpc = await jsonRpc.call(scripted(script), "GetTask", {}, { path: `/${query}`, body, ...more });
    const rest = await httpJson.call(scripted(script), "GetTask", {}, { path: `/tasks/t${query}`, ...more });
    for (const { error } of [rpc, rest]) assert.equal(error?.code, code);
  });
}

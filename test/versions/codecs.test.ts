import assert from "node:assert/strict";
import { test } from "vitest";
import { callableVersions, loadCallCodec, newestClientVersion } from "../../src/versions/client-codecs.js";
import { loadCodecs, newestCodec, servableVersions } from "../../src/versions/codecs.js";

test("what is known of a version before its codec is loaded is true of the codec", async () => {
  const codecs = await loadCodecs();
  assert.equal([...codecs.keys()][0], newestCodec.version);
  assert.deepEqual([...codecs.keys()].slice(-3), ["0.3", "0.1-flat", "0.1"]);
  assert.deepEqual([...servableVersions.keys()], [...codecs.keys()]);
  for (const [version, { cardPaths, hasRoutes }] of servableVersions) {
    const codec = codecs.get(version);
    assert.equal(codec?.version, version);
    assert.deepEqual(codec?.cardPaths, cardPaths);
    assert.equal((codec?.routes.length ?? 0) > 0, hasRoutes, version);
  }
});

test("codecs are loaded of the versions that are asked for, the newest first", async () => {
  const asked = ["0.1", "0.3"];
  assert.deepEqual([...(await loadCodecs((version) => asked.includes(version))).keys()], ["0.3", "0.1"]);
  assert.equal((await loadCodecs()).get(newestCodec.version), newestCodec);
});

test("agents are called in the versions that are listed, the newest first", async () => {
  assert.deepEqual(callableVersions.slice(-4), ["0.3", "0.2", "0.1", "0.1-flat"]);
  assert.equal(newestClientVersion, callableVersions[0]);
  for (const version of callableVersions) assert.equal((await loadCallCodec(version)).version, version);
  await assert.rejects(loadCallCodec("0.4"), TypeError);
});

test("RPC-02: the methods of 1.0 are these", async () => {
  const codec = (await loadCodecs()).get("1.0");
  assert.deepEqual(
    [...(codec?.methods.keys() ?? [])],
    [
      "SendMessage",
      "SendStreamingMessage",
      "GetTask",
      "ListTasks",
      "CancelTask",
      "SubscribeToTask",
      "CreateTaskPushNotificationConfig",
      "GetTaskPushNotificationConfig",
      "ListTaskPushNotificationConfigs",
      "DeleteTaskPushNotificationConfig",
      "GetExtendedAgentCard",
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "vitest";
import {
  closeRecording,
  openRecording,
  openRecordings,
} from "../../../src/inspector/page/recordings/recording-list.js";
import { writeRecording } from "../../../src/recording/recording-file.js";

test("open recordings of one name are told apart by a number", () => {
  const text = writeRecording({ agent: { url: "https://agent.test/" }, exchanges: [] });
  for (const name of ["a.json", "a.json", "b.json", "a.json"]) openRecording(name, text);
  const names = () => openRecordings.value.map(({ name }) => name);
  assert.deepEqual(names(), ["a.json", "a.json (2)", "b.json", "a.json (3)"]);
  assert.throws(() => openRecording("c.json", "{}"), /The file is not a recording/);
  assert.equal(names().length, 4);
  for (const { id } of openRecordings.value) closeRecording(id);
  assert.deepEqual(names(), []);
});

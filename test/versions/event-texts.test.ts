import assert from "node:assert/strict";
import { test } from "vitest";
import type { StreamResponse } from "../../src/protocol/model.js";
import { tag } from "../../src/task-log/log.js";
import { EventTexts } from "../../src/versions/events.js";

const unnumbered = (text: string): StreamResponse => ({
  artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts: [{ text }] } },
});
const update = (text: string): StreamResponse => tag(unnumbered(text), 1);

/** Counts how often an event is written. */
function counted() {
  let count = 0;
  const write = (event: StreamResponse) => {
    count += 1;
    return JSON.stringify(event);
  };
  return { write, count: () => count };
}

test("an update is written once, also when its readers get copies of the event around it", () => {
  const texts = new EventTexts();
  const { write, count } = counted();
  const event = update("x");
  const first = texts.get(event, write);
  for (let reader = 0; reader < 200; reader++) assert.equal(texts.get(tag({ ...event }, 1), write), first);
  assert.equal(count(), 1);
});

test("streams in which an artifact has different indexes do not share its text", () => {
  const texts = new EventTexts();
  const { write, count } = counted();
  const event = update("x");
  const textAt = (index: number) => texts.get(event, (given) => `${index} ${write(given)}`, index);
  assert.notEqual(textAt(0), textAt(1));
  for (let reader = 0; reader < 200; reader++) assert.equal(textAt(1).at(0), "1");
  assert.equal(count(), 2);
});

test("an update without a generation is written each time, because a handler may change it and send it again", () => {
  const texts = new EventTexts();
  const { write } = counted();
  const event = { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } };
  texts.get(event as StreamResponse, write);
  event.statusUpdate.status = { state: "TASK_STATE_COMPLETED" };
  assert.match(texts.get(event as StreamResponse, write), /COMPLETED/);
});

test("snapshots and replies are not remembered", () => {
  const texts = new EventTexts();
  const { write, count } = counted();
  const task: StreamResponse = { task: { id: "t", status: { state: "TASK_STATE_WORKING" } } };
  texts.get(task, write);
  texts.get(task, write);
  assert.equal(count(), 2);
});

test("the oldest text is forgotten when there are too many", () => {
  const texts = new EventTexts({ entries: 2, characters: 10_000 });
  const { write, count } = counted();
  const events = [update("1"), update("2"), update("3")];
  for (const event of events) texts.get(event, write);
  for (const event of events.slice(1)) texts.get(event, write);
  assert.equal(count(), 3);
  texts.get(events[0]!, write);
  assert.equal(count(), 4);
});

test("texts are forgotten when together they are too long, and one that is too long alone is never kept", () => {
  const one = JSON.stringify(update("x".repeat(100))).length;
  const texts = new EventTexts({ entries: 100, characters: 2 * one });
  const { write, count } = counted();
  const events = ["x", "y", "z"].map((letter) => update(letter.repeat(100)));
  for (const event of events) texts.get(event, write);
  texts.get(events[2]!, write);
  assert.equal(count(), 3);
  texts.get(events[0]!, write);
  assert.equal(count(), 4);
  const huge = update("x".repeat(1000));
  texts.get(huge, write);
  texts.get(huge, write);
  assert.equal(count(), 6);
  texts.get(events[0]!, write);
  assert.equal(count(), 6);
});

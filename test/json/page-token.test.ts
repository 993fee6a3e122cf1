import { expect, test } from "vitest";
import { readPageToken, writePageToken } from "../../src/json/page-token.js";

const timestamp = "2026-01-01T00:00:00.000Z";

test("PAGE-01: a token leads to the position of its task, also if its id has spaces", () => {
  for (const taskId of ["task-1", "order 7 of today", " ", "ticket  8"]) {
    const token = writePageToken({ timestamp, taskId }, ["owner"]);
    expect(readPageToken(token, ["owner"])).toEqual({ timestamp, taskId });
  }
});

test("PAGE-07: a token of another list, and one without an id, is refused", () => {
  const token = writePageToken({ timestamp, taskId: "task 1" }, ["owner"]);
  expect(() => readPageToken(token, ["other"])).toThrow("pageToken");
  expect(() => readPageToken(writePageToken({ timestamp, taskId: "" }, []), [])).toThrow("pageToken");
});

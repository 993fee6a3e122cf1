import { isListTasksResponse } from "../../protocol/model.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, result, same, valid } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";

/** Id of a new context with `count` completed tasks. */
async function contextWithTasks({ scenarios }: Subject, count: number): Promise<string> {
  const contextId = crypto.randomUUID();
  for (let index = 0; index < count; index += 1)
    await scenarios.task("completed", { message: { contextId } });
  return contextId;
}

async function list({ peer }: Subject, params?: object): Promise<Unchecked> {
  return result(await peer.call("ListTasks", params), "the list");
}

const idsOf = (page: Unchecked): readonly string[] => listAt(page, "tasks").map((task) => textAt(task, "id"));

/** Checks of ListTasks and paging (§3.1.4). */
export const listTasksChecks: readonly BindingCheck[] = [
  {
    ids: ["OP-LIST-01", "OP-LIST-19", "RPC-15"],
    claim: "a list needs no parameters",
    async run({ peer }) {
      result(await peer.call("ListTasks"), "the list");
    },
  },
  {
    ids: ["OP-LIST-02", "OP-LIST-03", "OP-LIST-09"],
    claim: "an empty list has all four members",
    async run(subject) {
      const page = await list(subject, { contextId: crypto.randomUUID() });
      const { tasks, nextPageToken, totalSize, pageSize } = Object(page);
      same({ tasks, nextPageToken, totalSize }, { tasks: [], nextPageToken: "", totalSize: 0 }, "the page");
      assert(typeof pageSize === "number", `pageSize is ${excerptOf(pageSize)}`);
    },
  },
  {
    ids: ["OP-LIST-15", "PAGE-02"],
    claim: "pageSize in the answer is the limit in force, 50 by default",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 1);
      same(at(await list(subject, { contextId }), "pageSize"), 50, "pageSize");
      same(at(await list(subject, { contextId, pageSize: 7 }), "pageSize"), 7, "pageSize");
    },
  },
  {
    ids: ["OP-LIST-09", "OP-LIST-16", "OP-LIST-08"],
    claim: "a list by context has the tasks of that context, and counts them",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 2);
      await contextWithTasks(subject, 1);
      const page = await list(subject, { contextId });
      valid("ListTasksResponse", isListTasksResponse, page);
      same(at(page, "totalSize"), 2, "totalSize");
      for (const task of listAt(page, "tasks")) same(at(task, "contextId"), contextId, "a context");
    },
  },
  {
    ids: ["OP-LIST-04"],
    claim: "artifacts are left out by default",
    async run(subject) {
      const contextId = crypto.randomUUID();
      await subject.scenarios.task("artifact", { message: { contextId } });
      const found = at(await list(subject, { contextId }), "tasks", 0);
      assert(Object.keys(Object(found)).includes("id"), "the task is not listed");
      assert(at(found, "artifacts") === undefined, "the task has artifacts");
    },
  },
  {
    ids: ["OP-LIST-05"],
    claim: "artifacts are included with includeArtifacts",
    async run(subject) {
      const contextId = crypto.randomUUID();
      const task = await subject.scenarios.task("artifact", { message: { contextId } });
      const page = await list(subject, { contextId, includeArtifacts: true });
      same(at(page, "tasks", 0, "artifacts"), at(task, "artifacts"), "artifacts");
    },
  },
  {
    ids: ["OP-LIST-06", "OP-LIST-07"],
    claim: "the task whose status changed last comes first",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 3);
      const times = listAt(await list(subject, { contextId }), "tasks").map((task) =>
        textAt(task, "status", "timestamp"),
      );
      same(times, [...times].sort().reverse(), "the order");
    },
  },
  {
    ids: ["OP-LIST-10", "OP-LIST-18"],
    claim: "a list by state has only tasks in that state",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 1);
      const states = async (status: string) =>
        idsOf(await list(subject, { contextId, status: `TASK_STATE_${status}` })).length;
      same(await states("COMPLETED"), 1, "the number of completed tasks");
      same(await states("WORKING"), 0, "the number of working tasks");
      same(await states("UNSPECIFIED"), 1, "the number of tasks in any state");
    },
  },
  {
    ids: ["OP-LIST-12"],
    claim: "statusTimestampAfter selects tasks from that time on",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 1);
      const [task] = listAt(await list(subject, { contextId }), "tasks");
      const statusTimestampAfter = textAt(task, "status", "timestamp");
      same(at(await list(subject, { contextId, statusTimestampAfter }), "totalSize"), 1, "totalSize");
      const later = { contextId, statusTimestampAfter: "2999-01-01T00:00:00Z" };
      same(at(await list(subject, later), "totalSize"), 0, "totalSize for a time in the future");
    },
  },
  {
    ids: ["OP-LIST-17"],
    claim: "historyLength limits the history of listed tasks",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 1);
      const page = await list(subject, { contextId, historyLength: 0 });
      same(listAt(page, "tasks", 0, "history"), [], "the history");
    },
  },
  {
    ids: ["PAGE-01", "OP-LIST-03", "PAGE-09"],
    claim: "the pages together have each task once, and the last one has an empty token",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 3);
      const all = idsOf(await list(subject, { contextId }));
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await list(subject, { contextId, pageSize: 1, ...(pageToken && { pageToken }) });
        seen.push(...idsOf(page));
        pageToken = textAt(page, "nextPageToken");
      } while (pageToken !== "" && seen.length < 10);
      same(seen, all, "the pages together");
    },
  },
  {
    ids: ["PAGE-08"],
    claim: "a page token is refused with other filters than those of its list",
    async run(subject) {
      const contextId = await contextWithTasks(subject, 2);
      const pageToken = textAt(await list(subject, { contextId, pageSize: 1 }), "nextPageToken");
      assert(pageToken !== "", "there is no token for the second page");
      const other = { contextId: crypto.randomUUID(), pageSize: 1, pageToken };
      refused(await subject.peer.call("ListTasks", other), "INVALID_PARAMS", "pageToken");
    },
  },
];

import { operations } from "../../protocol/operations.js";
import { needs } from "../capability.js";
import type { BindingCheck } from "../check.js";
import { assert, result, same, summary } from "../expect.js";
import { at, listAt, textAt } from "../json.js";

/** Checks of the HTTP+JSON routes and their parameters (§11.3), of ids and members in JSON-RPC, and of declared capabilities. */
export const routeChecks: readonly BindingCheck[] = [
  {
    ids: ["REST-01"],
    claim: "every operation has its routes",
    over: "HTTP+JSON",
    async run({ peer }) {
      for (const { name, http } of operations)
        for (const { verb, path } of http.filter((route) => !route.path.startsWith("/{tenant}"))) {
          const filled = path.replace(/\{\w+\}/g, crypto.randomUUID());
          const body = verb === "POST" ? { body: "{}" } : {};
          const answer = await peer.raw({ method: verb, path: filled, ...body });
          const isServed = answer.status !== 405 && answer.error?.reason !== "METHOD_NOT_FOUND";
          assert(isServed, `${name}: ${verb} ${path} is not served (${summary(answer)})`);
        }
    },
  },
  {
    ids: ["REST-08"],
    claim: "the path takes precedence over the body",
    over: "HTTP+JSON",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("input-required"), "id");
      const body = JSON.stringify({ id: crypto.randomUUID() });
      const answer = await peer.raw({ path: `/tasks/${id}:cancel`, body });
      same(at(result(answer, "the cancel"), "id"), id, "the task");
    },
  },
  {
    ids: ["RESTB-05"],
    claim: "a body without a media type is read as JSON",
    over: "HTTP+JSON",
    async run({ peer, scenarios }) {
      const body = JSON.stringify(await scenarios.acceptedParams());
      const headers = { "content-type": undefined };
      result(await peer.raw({ path: "/message:send", headers, body }), "the send");
    },
  },
  {
    ids: ["RESTQ-01", "RESTQ-02", "RESTQ-07"],
    claim: "a percent-encoded time in a query is read",
    over: "HTTP+JSON",
    async run({ peer }) {
      const time = encodeURIComponent("2999-01-01T00:00:00+00:00");
      const answer = await peer.raw({
        method: "GET",
        path: `/tasks?pageSize=1&statusTimestampAfter=${time}`,
      });
      same(listAt(result(answer, "the list"), "tasks"), [], "tasks of the year 2999");
    },
  },
  {
    ids: ["RESTQ-09"],
    claim: "the last of several values of a query parameter counts",
    over: "HTTP+JSON",
    async run({ peer }) {
      const answer = await peer.raw({ method: "GET", path: "/tasks?pageSize=3&pageSize=1" });
      same(at(result(answer, "the list"), "pageSize"), 1, "pageSize");
    },
  },
  {
    ids: ["OP-LIST-14"],
    claim: "lastUpdatedAfter in a query is read as statusTimestampAfter",
    over: "HTTP+JSON",
    async run({ peer, scenarios }) {
      await scenarios.task("completed");
      const answer = await peer.raw({ method: "GET", path: "/tasks?lastUpdatedAfter=2999-01-01T00:00:00Z" });
      same(listAt(result(answer, "the list"), "tasks"), [], "tasks of the year 2999");
    },
  },
  {
    ids: ["RPC-13"],
    claim: "a request id beyond 2^53 is returned exactly or as the nearest double",
    over: "JSONRPC",
    async run({ peer }) {
      const body = '{"jsonrpc":"2.0","id":9007199254740993,"method":"ListTasks","params":{"pageSize":1}}';
      const { body: text } = await peer.raw({ body });
      assert(/"id":\s*900719925474099[23]/.test(text), "the answer has another id");
    },
  },
  {
    ids: ["JSONV-17"],
    claim: "the last of several members with the same name counts",
    over: "JSONRPC",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const body = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"none","id":"${id}"}}`;
      same(at(result(await peer.raw({ body }), "the task"), "id"), id, "the task");
    },
  },
  {
    ids: ["CARD-13"],
    claim: "push notifications are available if the card declares them",
    async run(subject) {
      needs(subject, "pushNotifications");
      const answer = await subject.peer.call("ListTaskPushNotificationConfigs", {
        taskId: crypto.randomUUID(),
      });
      const { reason } = answer.error ?? {};
      assert(reason !== "PUSH_NOTIFICATION_NOT_SUPPORTED", "the agent does not support push notifications");
    },
  },
];

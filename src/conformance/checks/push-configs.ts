import { isTaskPushNotificationConfig } from "../../protocol/model.js";
import type { OperationName } from "../../protocol/operations.js";
import { lacks, needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, refusedSomehow, result, same, valid } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const CREATE = "CreateTaskPushNotificationConfig";
const GET = "GetTaskPushNotificationConfig";
const LIST = "ListTaskPushNotificationConfigs";
const DELETE = "DeleteTaskPushNotificationConfig";

/** A host name that never resolves (RFC 2606). */
const url = "https://webhook.parley-conformance.invalid/hook";

/** The four operations, each with its requirement for an unknown task. */
const operations: readonly (readonly [OperationName, string])[] = [
  [CREATE, "OP-PUSH-03"],
  [GET, "OP-PUSH-12"],
  [LIST, "OP-PUSH-17"],
  [DELETE, "OP-PUSH-20"],
];

/** Parameters of an operation for a task that does not exist. */
function paramsOf(operation: OperationName): object {
  const taskId = crypto.randomUUID();
  if (operation === LIST) return { taskId };
  return operation === CREATE ? { taskId, id: "a", url } : { taskId, id: "a" };
}

/** Id of a completed task. @throws Inconclusive unless the card declares push notifications */
async function taskId(subject: Subject): Promise<string> {
  needs(subject, "pushNotifications");
  return textAt(await subject.scenarios.task("completed"), "id");
}

/** Creates a config. @throws Deviation; Inconclusive if the agent refuses the URL of the checks */
async function create({ peer }: Subject, config: object): Promise<Unchecked> {
  const answer = await peer.call(CREATE, config);
  if (answer.error?.fields.includes("url"))
    throw new Inconclusive(`the agent refuses a webhook at ${url}: ${excerptOf(answer.error.message)}`);
  return result(answer, "the creation");
}

async function listed({ peer }: Subject, id: string): Promise<readonly Unchecked[]> {
  const page = result(await peer.call(LIST, { taskId: id }), "the list");
  return listAt(page, "configs");
}

/** Checks of push notification configs (§3.1.7 to §3.1.10). */
export const pushConfigChecks: readonly BindingCheck[] = [
  ...operations.map(
    ([operation]): BindingCheck => ({
      ids: ["OP-PUSH-01"],
      claim: `without the capability ${operation} is refused`,
      async run(subject) {
        lacks(subject, "pushNotifications");
        const answer = await subject.peer.call(operation, paramsOf(operation));
        refused(answer, "PUSH_NOTIFICATION_NOT_SUPPORTED");
      },
    }),
  ),
  ...operations.map(
    ([operation, id]): BindingCheck => ({
      ids: [id],
      claim: `${operation} of a task that does not exist is refused`,
      async run(subject) {
        needs(subject, "pushNotifications");
        const answer = await subject.peer.call(operation, paramsOf(operation));
        refused(answer, "TASK_NOT_FOUND");
      },
    }),
  ),
  {
    ids: ["OP-SEND-13"],
    claim: "without the capability a message with a webhook is refused",
    async run(subject) {
      lacks(subject, "pushNotifications");
      const configuration = { taskPushNotificationConfig: { url } };
      const answer = await subject.peer.call("SendMessage", subject.scenarios.plain({ configuration }));
      refused(answer, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["OP-PUSH-02", "OP-PUSH-09", "OP-PUSH-11", "RPC-19"],
    claim: "a creation returns the config, which can then be read",
    async run(subject) {
      const config = { taskId: await taskId(subject), id: "mine", url };
      const made = await create(subject, { ...config, token: "t" });
      valid("TaskPushNotificationConfig", isTaskPushNotificationConfig, made);
      const { id, taskId: owner, url: stored } = Object(made);
      same({ taskId: owner, id, url: stored }, config, "the config");
      const read = result(await subject.peer.call(GET, { taskId: config.taskId, id: "mine" }), "reading it");
      same(at(read, "url"), url, "the URL");
    },
  },
  {
    ids: ["OP-PUSH-04", "OP-PUSH-14"],
    claim: "each config without an id gets its own id, and all are listed",
    async run(subject) {
      const task = await taskId(subject);
      const ids = [
        await create(subject, { taskId: task, url }),
        await create(subject, { taskId: task, url }),
      ];
      const [one, other] = ids.map((config) => textAt(config, "id"));
      assert(one !== "" && other !== "" && one !== other, `${excerptOf(one)} and ${excerptOf(other)}`);
      same((await listed(subject, task)).length, 2, "the number of configs");
    },
  },
  {
    ids: ["OP-PUSH-05"],
    claim: "a config with the id of an existing one replaces it",
    async run(subject) {
      const task = await taskId(subject);
      await create(subject, { taskId: task, id: "mine", url });
      await create(subject, { taskId: task, id: "mine", url: `${url}/2` });
      const urls = (await listed(subject, task)).map((config) => at(config, "url"));
      same(urls, [`${url}/2`], "the URLs");
    },
  },
  {
    ids: ["OP-PUSH-06"],
    claim: "a config without a task is refused",
    over: "JSONRPC",
    async run(subject) {
      needs(subject, "pushNotifications");
      refused(await subject.peer.call(CREATE, { url }), "INVALID_PARAMS", "taskId");
    },
  },
  ...Object.entries({
    "no URL": undefined,
    "a relative URL": "/hook",
    "a URL of another scheme": "file:///etc/passwd",
    "a URL with credentials": "https://user:pass@webhook.parley-conformance.invalid/",
    "a URL of this machine": "https://127.0.0.1/hook",
    "a URL of a private network": "https://10.0.0.1/hook",
    "a URL of a metadata service": "https://169.254.169.254/latest",
    "a URL of this machine in IPv6": "https://[::1]/hook",
  }).map(
    ([what, wrong]): BindingCheck => ({
      ids: ["OP-PUSH-07", "SEC-04"],
      claim: `a webhook with ${what} is refused, naming url`,
      async run(subject) {
        const config = { taskId: await taskId(subject), ...(wrong !== undefined && { url: wrong }) };
        const answer = await subject.peer.call(CREATE, config);
        refused(answer, "INVALID_PARAMS", "url");
      },
    }),
  ),
  {
    ids: ["OP-PUSH-08"],
    claim: "authentication without a scheme is refused",
    async run(subject) {
      const config = { taskId: await taskId(subject), url, authentication: { credentials: "c" } };
      refused(await subject.peer.call(CREATE, config), "INVALID_PARAMS", "authentication.scheme");
    },
  },
  {
    ids: ["OP-PUSH-12"],
    claim: "reading an unknown config of a task is refused",
    async run(subject) {
      const answer = await subject.peer.call(GET, { taskId: await taskId(subject), id: "none" });
      refused(answer, "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-PUSH-16"],
    claim: "an empty list of configs has both members",
    async run(subject) {
      const page = result(await subject.peer.call(LIST, { taskId: await taskId(subject) }), "the list");
      same(page, { configs: [], nextPageToken: "" }, "the list");
    },
  },
  {
    ids: ["OP-PUSH-18", "OP-PUSH-19", "IDEM-05"],
    claim: "a config can be deleted, deleted again, and no longer be read",
    async run(subject) {
      const task = await taskId(subject);
      await create(subject, { taskId: task, id: "mine", url });
      for (const time of ["the deletion", "the second deletion"])
        result(await subject.peer.call(DELETE, { taskId: task, id: "mine" }), time);
      refused(await subject.peer.call(GET, { taskId: task, id: "mine" }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-PUSH-21"],
    claim: "a deletion is answered with an empty result",
    async run(subject) {
      const answer = await subject.peer.call(DELETE, { taskId: await taskId(subject), id: "none" });
      same(result(answer, "the deletion"), answer.binding === "JSONRPC" ? null : {}, "the answer");
    },
  },
  {
    ids: ["OP-PUSH-22"],
    claim: "a config cannot be read through another task",
    async run(subject) {
      const [mine, other] = [await taskId(subject), await taskId(subject)];
      await create(subject, { taskId: mine, id: "mine", url });
      refused(await subject.peer.call(GET, { taskId: other, id: "mine" }), "TASK_NOT_FOUND");
      same(await listed(subject, other), [], "the configs of the other task");
    },
  },
  {
    ids: ["OP-SEND-14"],
    claim: "a config in a message that names another task is refused",
    async run(subject) {
      needs(subject, "pushNotifications");
      const { peer, scenarios } = subject;
      const taskPushNotificationConfig = { url, taskId: crypto.randomUUID() };
      const params = await scenarios.params("completed", { configuration: { taskPushNotificationConfig } });
      refused(await peer.call("SendMessage", params), "INVALID_PARAMS");
    },
  },
  {
    ids: ["OP-PUSH-13"],
    claim: "a config is returned as it was created, secrets included",
    async run(subject) {
      const task = await taskId(subject);
      const secrets = { token: "parley", authentication: { scheme: "Bearer", credentials: "parley" } };
      await create(subject, { taskId: task, id: "mine", url, ...secrets });
      const { token, authentication } = Object(
        result(await subject.peer.call(GET, { taskId: task, id: "mine" }), "the config"),
      );
      same({ token, authentication }, secrets, "the secrets");
    },
  },
  {
    ids: ["OP-PUSH-15", "PAGE-13"],
    claim: "configs are listed in the order of their creation",
    async run(subject) {
      const task = await taskId(subject);
      const ids = ["second", "first", "third"];
      for (const id of ids) await create(subject, { taskId: task, id, url });
      same(
        (await listed(subject, task)).map((config) => textAt(config, "id")),
        ids,
        "the list",
      );
    },
  },
  {
    ids: ["SEC-15"],
    claim: "line breaks in a token or a scheme, which become headers, are refused",
    async run(subject) {
      const task = await taskId(subject);
      const authentication = { scheme: "Bearer\r\nX-Other: 1", credentials: "a" };
      for (const more of [{ token: "a\r\nX-Other: 1" }, { authentication }])
        refusedSomehow(await subject.peer.call(CREATE, { taskId: task, url, ...more }), "the config");
    },
  },
  {
    ids: ["SEC-06"],
    claim: "a webhook without TLS is refused",
    async run(subject) {
      const task = await taskId(subject);
      const plainUrl = url.replace("https", "http");
      refused(await subject.peer.call(CREATE, { taskId: task, url: plainUrl }), "INVALID_PARAMS");
    },
  },
];

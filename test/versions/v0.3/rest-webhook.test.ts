import assert from "node:assert/strict";
import { test } from "vitest";
import type { A2AError } from "../../../src/protocol/errors.js";
import { codec } from "../../../src/versions/v0.3/codec.js";

const webhook = {
  url: "https://x.test",
  token: "s",
  authentication: { schemes: ["Bearer"], credentials: "c" },
};
const name = "tasks/t/pushNotificationConfigs/c";

/** Bodies of a create that mean the same, with the id of the webhook in any of the places where peers put it. */
const bodies: readonly [what: string, body: object][] = [
  ["the bare webhook", { ...webhook, id: "c" }],
  ["the bare webhook, with its id beside it", { ...webhook, configId: "c" }],
  ["the bare webhook, with its id beside it in snake_case", { ...webhook, config_id: "c" }],
  ["the webhook below config", { config: { ...webhook, id: "c" } }],
  ["the webhook below config, with its id beside it", { config: webhook, configId: "c" }],
  ["a name and the webhook", { name, pushNotificationConfig: webhook }],
  ["a name and the webhook in snake_case", { name, push_notification_config: webhook }],
  ["a create", { parent: "tasks/t", configId: "c", config: { pushNotificationConfig: webhook } }],
  [
    "a create in snake_case",
    { parent: "tasks/t", config_id: "c", config: { push_notification_config: webhook } },
  ],
  ["a create with a name", { parent: "tasks/t", config: { name, pushNotificationConfig: webhook } }],
  ["a task and the webhook", { taskId: "t", pushNotificationConfig: { ...webhook, id: "c" } }],
  [
    "a task and the webhook below config",
    { config: { task_id: "t", push_notification_config: { ...webhook, id: "c" } } },
  ],
];

function decoded(body: object): object {
  const value = { ...body, task: "t" };
  const dialect = codec.dialectOf!({ method: undefined, value });
  return dialect.decodeRequest("CreateTaskPushNotificationConfig", value);
}

for (const [what, body] of bodies) {
  test(`a webhook is read from ${what}`, () => {
    assert.deepEqual(decoded(body), {
      taskId: "t",
      id: "c",
      url: webhook.url,
      token: "s",
      authentication: { scheme: "Bearer", credentials: "c" },
    });
  });
}

test("the id in the webhook counts before the one beside it, and that before the one in the name", () => {
  const { url } = webhook;
  const pushNotificationConfig = { url, id: "inner" };
  const other = "tasks/t/pushNotificationConfigs/last";
  const idOf = (body: object) => (decoded(body) as { id: string }).id;
  assert.equal(idOf({ configId: "beside", config: { name: other, pushNotificationConfig } }), "inner");
  assert.equal(
    idOf({ configId: "beside", config: { name: other, pushNotificationConfig: { url } } }),
    "beside",
  );
  assert.equal(idOf({ config: { name: other, pushNotificationConfig: { url } } }), "last");
  assert.equal(idOf({ url }), "t");
});

for (const authentication of [{}, { schemes: [] }, { schemes: [], credentials: "" }, null]) {
  test(`authentication that says nothing is none: ${JSON.stringify(authentication)}`, () => {
    const bare = { taskId: "t", id: "c", url: webhook.url };
    assert.deepEqual(decoded({ url: webhook.url, id: "c", authentication }), bare);
    const config = { pushNotificationConfig: { url: webhook.url, authentication } };
    assert.deepEqual(decoded({ parent: "tasks/t", configId: "c", config }), bare);
  });
}

const broken: readonly [what: string, body: object, field: string][] = [
  ["an empty body", {}, "pushNotificationConfig"],
  ["a config that is none", { config: 1 }, "pushNotificationConfig"],
  ["a config without a URL", { config: {} }, "pushNotificationConfig.url"],
  ["a URL that is none", { config: { url: 1 } }, "pushNotificationConfig.url"],
  ["authentication that is none", { url: "u", authentication: 1 }, "pushNotificationConfig.authentication"],
  [
    "credentials without a scheme",
    { url: "u", authentication: { credentials: "c" } },
    "pushNotificationConfig.authentication.schemes",
  ],
  [
    "credentials with an empty list of schemes",
    { url: "u", authentication: { schemes: [], credentials: "c" } },
    "authentication.scheme",
  ],
];
for (const [what, body, field] of broken) {
  test(`a webhook is refused with its place: ${what}`, () => {
    assert.throws(
      () => decoded(body),
      ({ violations: [violation] }: A2AError) => violation?.field === field,
    );
  });
}

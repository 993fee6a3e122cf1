import type { TaskPushNotificationConfig } from "../../protocol/model.js";
import type { Argument, Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { callOptions } from "../options.js";
import type { Page } from "../text/page.js";

const taskId: Argument = { name: "taskId", help: "Id of the task" };
const configId: Argument = { name: "configId", help: "Id of the config" };
const line = { name: "stream", explicit: true, help: "With -o json: one config per line" } as const;

/** `parley task push-config create`: registers a webhook for a task. */
export const pushCreate: Command = {
  path: ["task", "push-config", "create"],
  aliases: [["push", "create"]],
  summary: "Send the events of a task to a webhook",
  args: [taskId, { name: "url", help: "URL of the webhook" }],
  options: [
    { name: "id", takes: "id", explicit: true, help: "Id of the config; one with the same id is replaced" },
    { name: "token", takes: "token", secret: true, help: "Token that every notification must contain" },
    {
      name: "scheme",
      takes: "scheme",
      help: "Authentication scheme with which the agent calls the webhook, such as Bearer",
    },
    { name: "credentials", takes: "text", secret: true, help: "Credentials of that scheme" },
    line,
    ...callOptions,
  ],
  examples: ["parley task push-config create <taskId> https://example.com/hook --token s3cret-and-long"],
  async run(call) {
    const { words, values, signal } = call;
    const [task = "", url = ""] = words;
    const [id, token, scheme] = [values.text("id"), values.text("token"), values.text("scheme")];
    const credentials = values.text("credentials");
    const authentication = scheme && { scheme, ...(credentials !== undefined && { credentials }) };
    const client = await connectAgent(call);
    const config = await client.pushConfigs(task).create(
      {
        url,
        ...(id !== undefined && { id }),
        ...(token && { token }),
        ...(authentication && { authentication }),
      },
      { signal },
    );
    printConfig(call, config);
  },
};

/** `parley task push-config get`: shows a push config. */
export const pushGet: Command = {
  path: ["task", "push-config", "get"],
  aliases: [["push", "get"]],
  summary: "Show one push config of a task",
  args: [taskId, configId],
  options: [line, ...callOptions],
  async run(call) {
    const [task = "", id = ""] = call.words;
    const client = await connectAgent(call);
    printConfig(call, await client.pushConfigs(task).get(id, { signal: call.signal }));
  },
};

/** `parley task push-config list`: lists the push configs of a task. */
export const pushList: Command = {
  path: ["task", "push-config", "list"],
  aliases: [["push", "list"]],
  summary: "List the push configs of a task",
  args: [taskId],
  options: [line, ...callOptions],
  async run(call) {
    const { output, signal } = call;
    const [task = ""] = call.words;
    const client = await connectAgent(call);
    const configs: TaskPushNotificationConfig[] = [];
    for await (const config of client.pushConfigs(task).list({ signal })) configs.push(config);
    if (output.isStream) for (const config of configs) printConfig(call, config);
    else
      output.print({ configs }, (page) => {
        for (const config of configs) writeConfig(page, config);
        page.field("Configs", configs.length);
      });
  },
};

/** `parley task push-config delete`: deletes a push config. */
export const pushDelete: Command = {
  path: ["task", "push-config", "delete"],
  aliases: [["push", "delete"]],
  summary: "Delete a push config of a task",
  args: [taskId, configId],
  options: [line, ...callOptions],
  async run(call) {
    const [task = "", id = ""] = call.words;
    const client = await connectAgent(call);
    await client.pushConfigs(task).delete(id, { signal: call.signal });
    call.output.print({}, (page) => page.field("Deleted", id));
  },
};

function printConfig({ output }: CommandCall, config: TaskPushNotificationConfig): void {
  output.print(config, (page) => writeConfig(page, config));
}

/** Writes a config without its secrets. JSON output has them, because they are part of the response. */
function writeConfig(
  page: Page,
  { id, taskId, url, token, authentication }: TaskPushNotificationConfig,
): void {
  page.field("Config", id);
  page.field("Task", taskId);
  page.field("URL", url);
  page.field("Token", token && "set");
  page.field("Scheme", authentication?.scheme);
}

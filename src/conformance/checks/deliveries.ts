import { isLoopback } from "../../net/url.js";
import { isStreamResponse } from "../../protocol/model.js";
import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, isRefused, result, same, valid } from "../expect.js";
import { at, textAt } from "../json.js";
import { hasEnded, kindOf, stateOf } from "../streams.js";
import { Inconclusive } from "../verdict.js";
import { type ReceivedWebhook, WebhookListener } from "../webhook.js";

const token = "parley-conformance-token";
const authentication = { scheme: "Bearer", credentials: "parley-conformance-credentials" };

/**
 * Sends a message with a webhook in its configuration, and returns what the webhook receives until the task has ended.
 * @throws Deviation; Inconclusive if the agent cannot or does not call a webhook on this machine
 */
async function delivered(
  { peer, scenarios, wire, ...rest }: Subject,
  configuration: object = {},
): Promise<readonly ReceivedWebhook[]> {
  needs({ wire, ...rest }, "pushNotifications");
  if (!isLoopback(new URL(peer.url).hostname))
    throw new Inconclusive("the agent is on another machine, and cannot call a webhook on this one");
  await scenarios.reach("artifact");
  const webhook = await WebhookListener.open();
  try {
    const taskPushNotificationConfig = { url: webhook.url, token, authentication };
    const params = await scenarios.params("artifact", {
      configuration: { taskPushNotificationConfig, ...configuration },
    });
    const answer = await peer.call("SendMessage", params);
    if (isRefused(answer, "INVALID_PARAMS"))
      throw new Inconclusive("the agent refuses webhooks on its own machine, as it should");
    result(answer, "the send");
    await webhook.until((last) => hasEnded(stateOf(last)), wire.responseTimeout);
    return webhook.arrivals;
  } finally {
    webhook.close();
  }
}

/** Checks of webhook deliveries (§4.3.3). They need an agent on this machine that may call loopback addresses. */
export const deliveryChecks: readonly BindingCheck[] = [
  {
    ids: ["PUSH-01", "PUSH-02", "PUSH-07"],
    claim: "each notification is a POST with one StreamResponse, without an envelope",
    async run(subject) {
      for (const { method, value } of await delivered(subject)) {
        same(method, "POST", "the method");
        assert(at(value, "jsonrpc") === undefined, "there is a JSON-RPC envelope");
        valid("StreamResponse", isStreamResponse, value);
      }
    },
  },
  {
    ids: ["OP-SEND-12", "PUSH-08", "OP-PUSH-10"],
    claim: "a webhook that is registered with a message receives the task from its beginning to its end",
    async run(subject) {
      const kinds = (await delivered(subject)).map(({ value }) => kindOf(value));
      same(kinds[0], "task", "the first notification");
      assert(kinds.includes("artifactUpdate"), `the notifications are ${kinds.join(", ")}`);
    },
  },
  {
    ids: ["EXEC-04"],
    claim: "a send with returnImmediately has notifications up to the end of the task",
    async run(subject) {
      const arrivals = await delivered(subject, { returnImmediately: true });
      assert(hasEnded(stateOf(arrivals.at(-1)?.value)), "the end was not notified");
    },
  },
  {
    ids: ["PUSH-03"],
    claim: "notifications have the media type application/a2a+json",
    async run(subject) {
      for (const { headers } of await delivered(subject))
        same(textAt(headers, "content-type").split(";")[0], "application/a2a+json", "the media type");
    },
  },
  {
    ids: ["PUSH-04"],
    claim: "notifications carry the credentials of their config",
    async run(subject) {
      const wanted = `${authentication.scheme} ${authentication.credentials}`;
      for (const { headers } of await delivered(subject))
        same(headers.authorization, wanted, "Authorization");
    },
  },
  {
    ids: ["PUSH-06"],
    claim: "notifications carry the token of their config in both headers",
    async run(subject) {
      for (const { headers } of await delivered(subject))
        for (const name of ["x-a2a-notification-token", "a2a-notification-token"])
          same(at(headers, name), token, name);
    },
  },
];

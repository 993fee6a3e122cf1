import { useEffect, useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { problemOf } from "../../session/current-agent.js";
import { pageServer } from "../../session/page-server.js";
import { followWebhooks, webhookList } from "../../webhooks/webhook-list.js";
import { NewWebhook } from "./new-webhook.js";
import { WebhookPanel } from "./webhook-panel.js";

/** Receives push notifications on this machine. */
export function WebhooksScreen() {
  const server = pageServer.value;
  const canReceive = server.status === "ready" && server.session.can.webhooks;
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (canReceive) void followWebhooks().catch((error: unknown) => setProblem(problemOf(error)));
  }, [canReceive]);
  return (
    <>
      <header class="stack">
        <h1>Webhooks</h1>
        <p>
          An agent can tell a webhook about each event of a task, so that its caller need not stay connected.
          The webhooks here are on this machine: the agent must be on it too, and permit notifications to
          private addresses.
        </p>
      </header>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {canReceive ? (
        <>
          <NewWebhook />
          {webhookList.value.map((webhook) => (
            <WebhookPanel key={webhook.id} webhook={webhook} />
          ))}
        </>
      ) : (
        <Notice>
          <span>
            This page has no receiver. Start <code>parley inspect</code> on your machine to receive
            notifications.
          </span>
        </Notice>
      )}
    </>
  );
}

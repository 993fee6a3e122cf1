import { useState } from "preact/hooks";
import type { WebhookReceiver } from "../../../api.js";
import { Badge } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { CopyButton } from "../../components/copy-button.js";
import { Choice, TextField } from "../../components/field.js";
import {
  changeWebhook,
  deleteWebhook,
  deliveriesTo,
  notifiedWebhook,
  settingsOf,
} from "../../webhooks/webhook-list.js";
import { DeliveryTable } from "./delivery-table.js";

const failures = ["500", "503", "429", "401", "410"] as const;

/** A webhook: its address, how it answers, and what was delivered. */
export function WebhookPanel({ webhook }: { webhook: WebhookReceiver }) {
  const { id, url, calls, fail } = webhook;
  const isNotified = notifiedWebhook.value === id;
  const deliveries = deliveriesTo.value.get(id) ?? [];
  return (
    <section class="panel" aria-label={`Webhook ${url}`}>
      <header class="row end">
        <h2 class="mono">{url}</h2>
        <div class="row">
          <CopyButton text={url} label="Copy the URL" />
          <Button isSmall onClick={() => void deleteWebhook(webhook)}>
            Delete
          </Button>
        </div>
      </header>
      <label class="row">
        <input
          type="checkbox"
          checked={isNotified}
          onChange={() => {
            notifiedWebhook.value = isNotified ? undefined : id;
          }}
        />
        Tasks of the conversation notify this webhook
      </label>
      <Failing webhook={webhook} />
      {fail !== undefined && fail.times > 0 && (
        <div>
          <Badge tone="warn">
            Answers {fail.status} to the next {fail.times === 1 ? "call" : `${fail.times} calls`}
          </Badge>
        </div>
      )}
      <h3>Deliveries ({calls})</h3>
      {deliveries.length === 0 ? (
        <p class="hint">None yet. Use the URL in a push config, or tick the box above and send a message.</p>
      ) : (
        <DeliveryTable deliveries={deliveries} />
      )}
    </section>
  );
}

function Failing({ webhook }: { webhook: WebhookReceiver }) {
  const [status, setStatus] = useState("500");
  const [times, setTimes] = useState("3");
  const count = Number(times);
  const isCount = Number.isInteger(count) && count > 0;
  const failing = (how: { status: number; times: number }) =>
    void changeWebhook(webhook, { ...settingsOf(webhook), fail: how });
  return (
    <div class="row">
      <Button onClick={() => failing({ status: 500, times: 3 })}>Answer 500 three times</Button>
      <span class="hint">or</span>
      <Choice
        label={<span class="visually-hidden">Status of the answer</span>}
        value={status}
        options={failures.map((each) => [each, `Answer ${each}`])}
        onValue={setStatus}
      />
      <TextField
        label={<span class="visually-hidden">How many times</span>}
        type="number"
        value={times}
        onValue={setTimes}
      />
      <Button disabled={!isCount} onClick={() => failing({ status: Number(status), times: count })}>
        Fail that often
      </Button>
    </div>
  );
}

import { signal } from "@preact/signals";
import type { TaskPushNotificationConfig } from "../../../protocol/model.js";
import type { Delivery, WebhookReceiver, WebhookSettings } from "../../api.js";
import { onServerEvent, pageServer } from "../session/page-server.js";

/** The webhooks of the launch. */
export const webhookList = signal<readonly WebhookReceiver[]>([]);

/** Deliveries to each webhook, the oldest first. */
export const deliveriesTo = signal<ReadonlyMap<string, readonly Delivery[]>>(new Map());

/** The webhook that the tasks of the conversation notify. */
export const notifiedWebhook = signal<string | undefined>(undefined);

/** Deliveries of a webhook that the page keeps. */
const MOST = 1000;

let isListening = false;

/** Reads the webhooks and their deliveries, and follows them from then on. */
export async function followWebhooks(): Promise<void> {
  if (!isListening) onServerEvent((event) => event.type === "delivered" && add(event.delivery));
  isListening = true;
  webhookList.value = (await ask("GET", "webhooks")) as readonly WebhookReceiver[];
  for (const { id } of webhookList.value) {
    const kept = (await ask("GET", `webhooks/${id}/deliveries`)) as readonly Delivery[];
    deliveriesTo.value = new Map([...deliveriesTo.value, [id, kept]]);
  }
}

/** Makes a webhook. */
export async function createWebhook(settings: WebhookSettings): Promise<WebhookReceiver> {
  const made = (await ask("POST", "webhooks", settings)) as WebhookReceiver;
  webhookList.value = [...webhookList.value, made];
  return made;
}

/** Replaces the settings of a webhook. */
export async function changeWebhook({ id }: WebhookReceiver, settings: WebhookSettings): Promise<void> {
  replace((await ask("PUT", `webhooks/${id}`, settings)) as WebhookReceiver);
}

/** Deletes a webhook and its deliveries. */
export async function deleteWebhook({ id }: WebhookReceiver): Promise<void> {
  await ask("DELETE", `webhooks/${id}`);
  webhookList.value = webhookList.value.filter((other) => other.id !== id);
  if (notifiedWebhook.value === id) notifiedWebhook.value = undefined;
}

/** The settings of a webhook without what the server has added. */
export function settingsOf({ id: _, url: __, calls: ___, ...settings }: WebhookReceiver): WebhookSettings {
  return settings;
}

/** The push config with which a task notifies a webhook. */
export function pushConfigFor({ url, token, authorization }: WebhookReceiver): TaskPushNotificationConfig {
  const [scheme = "", ...rest] = (authorization ?? "").split(" ");
  return {
    url,
    ...(token && { token }),
    ...(scheme !== "" && { authentication: { scheme, credentials: rest.join(" ") } }),
  };
}

function add(delivery: Delivery): void {
  const { webhook } = delivery;
  const known = deliveriesTo.value.get(webhook) ?? [];
  deliveriesTo.value = new Map([...deliveriesTo.value, [webhook, [...known, delivery].slice(-MOST)]]);
  const receiver = webhookList.value.find(({ id }) => id === webhook);
  if (receiver === undefined) return;
  const { fail } = receiver;
  const times = Math.max(0, (fail?.times ?? 0) - 1);
  replace({ ...receiver, calls: delivery.number, ...(fail && { fail: { ...fail, times } }) });
}

function replace(changed: WebhookReceiver): void {
  webhookList.value = webhookList.value.map((one) => (one.id === changed.id ? changed : one));
}

function ask(method: string, path: string, value?: unknown): Promise<unknown> {
  const server = pageServer.value;
  if (server.status !== "ready" || server.connection === undefined)
    return Promise.reject(new Error("Webhooks need “parley inspect”"));
  return server.connection.request(method, path, value);
}

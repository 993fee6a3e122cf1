import { createHash, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { BoundedMap } from "../collections/bounded-map.js";
import { type PushRequest, RefusedPush } from "../push/receiver/push-request.js";
import { checkEnvelope, readPushEvent } from "../push/receiver/read-event.js";
import type { SignatureCheck } from "../push/receiver/signature.js";
import { headers as names } from "../push/request-headers.js";
import type { Delivery, HeaderField, WebhookReceiver, WebhookSettings } from "./api.js";
import { ApiRefused } from "./api-refused.js";
import { inspectDelivery, signatureCheckOf } from "./webhook-verdict.js";

/** Receivers of a launch. */
const MAX_RECEIVERS = 20;
/** Calls of a receiver that are kept, in bytes of their bodies. */
const KEPT_BYTES = 8 * 1024 * 1024;
/** What an entry weighs besides its body. */
const ENTRY_BYTES = 4096;
/** Text of a body that is kept. */
const MAX_TEXT = 1024 * 1024;
/** Events of a receiver that are recognized when they come again. */
const MAX_EVENTS = 10_000;
/** Bytes of an id, which only the agent and the page know. */
const ID_BYTES = 16;

/** A call of a webhook as it was received. */
export interface IncomingDelivery {
  readonly method: string;
  readonly url: string;
  readonly headers: PushRequest["headers"];
  readonly rawHeaders: readonly HeaderField[];
  readonly body: Uint8Array;
}

/** An answer to a call of a webhook. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why a call is not accepted. */
interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** What the receivers of a launch need. */
export interface WebhooksOptions {
  /** URL to which the id of a receiver is appended. */
  readonly base: string;
  /** A `fetch` for the key set at a URL. */
  readonly fetchFor: (url: string) => typeof fetch;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** A receiver with what it remembers. */
interface Receiver {
  readonly id: string;
  readonly url: string;
  settings: WebhookSettings;
  signature: SignatureCheck | undefined;
  calls: number;
  /** By number. */
  readonly deliveries: BoundedMap<number, Delivery>;
  /** How often each event has come. */
  readonly attempts: BoundedMap<string, number>;
}

/** The webhooks of a launch: receivers of push notifications that tell what was sent, and fail when they are told to. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #receivers = new Map<string, Receiver>();
  readonly #leaving = new AbortController();

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** All receivers, the oldest first. */
  get all(): WebhookReceiver[] {
    return [...this.#receivers.values()].map(shown);
  }

  /** @throws ApiRefused */
  create(settings: WebhookSettings): WebhookReceiver {
    if (this.#receivers.size >= MAX_RECEIVERS)
      throw new ApiRefused("TOO_MANY", `There are ${MAX_RECEIVERS} webhooks already: delete one`);
    const id = randomBytes(ID_BYTES).toString("base64url");
    const url = this.#options.base + id;
    const receiver: Receiver = {
      ...{ id, url, settings, signature: this.#signatureOf(settings, url), calls: 0 },
      deliveries: new BoundedMap(KEPT_BYTES, ({ body }) => ENTRY_BYTES + body.length * 2),
      attempts: new BoundedMap(MAX_EVENTS),
    };
    this.#receivers.set(id, receiver);
    return shown(receiver);
  }

  /** Replaces the settings of a receiver. @throws ApiRefused */
  change(id: string, settings: WebhookSettings): WebhookReceiver {
    const receiver = this.#find(id);
    receiver.signature = this.#signatureOf(settings, receiver.url);
    receiver.settings = settings;
    return shown(receiver);
  }

  /** Forgets a receiver and its deliveries. @throws ApiRefused */
  delete(id: string): void {
    this.#receivers.delete(this.#find(id).id);
  }

  /** Calls of a receiver, the oldest first. @throws ApiRefused */
  deliveriesOf(id: string): Delivery[] {
    return [...this.#find(id).deliveries].map(([, delivery]) => delivery);
  }

  /** Checks the id of a call before its body is read. @throws ApiRefused when there is no such receiver */
  checkId(id: string): void {
    this.#find(id);
  }

  /** Answers a call. @throws ApiRefused when there is no such receiver */
  async receive(id: string, call: IncomingDelivery): Promise<DeliveryAnswer> {
    const receiver = this.#find(id);
    receiver.calls += 1;
    const number = receiver.calls;
    const at = new Date().toISOString();
    const { settings } = receiver;
    const found = await inspectDelivery(call, receiver);
    const event = await eventIn(call);
    const attempt = attemptOf(receiver, event.key);
    const { reason, ...verdicts } = found;
    const answer = answerTo(receiver, reason === undefined ? event.refusal : { status: 401, reason });
    const delivery: Delivery = {
      ...{ number, webhook: id, at, method: call.method, headers: call.rawHeaders },
      ...{ body: textOf(call.body), bytes: call.body.length, ...verdicts, attempt },
      ...(event.generation !== undefined && { generation: event.generation }),
      ...(event.taskId !== undefined && { taskId: event.taskId }),
      ...{ status: answer.status, reason: answer.reason },
    };
    receiver.deliveries.set(number, delivery);
    if (settings.delay) await this.#wait(settings.delay);
    this.#options.onDelivery(delivery);
    return answer;
  }

  /** Ends the answers that wait. */
  close(): void {
    this.#leaving.abort();
  }

  async #wait(seconds: number): Promise<void> {
    const { signal } = this.#leaving;
    await setTimeout(seconds * 1000, undefined, { signal, ref: false }).catch(() => undefined);
  }

  #find(id: string): Receiver {
    const receiver = this.#receivers.get(id);
    if (receiver === undefined) throw new ApiRefused("NOT_FOUND", "There is no such webhook");
    return receiver;
  }

  #signatureOf(settings: WebhookSettings, url: string): SignatureCheck | undefined {
    try {
      return signatureCheckOf(settings, url, this.#options.fetchFor);
    } catch (error) {
      throw new ApiRefused("INVALID_REQUEST", error instanceof Error ? error.message : String(error));
    }
  }
}

function shown({ id, url, calls, settings }: Receiver): WebhookReceiver {
  return { ...settings, id, url, calls };
}

/** The event in a call, and what tells it from others. */
async function eventIn(call: IncomingDelivery) {
  const given = Number(call.headers[names.generation]);
  const generation = Number.isSafeInteger(given) && given > 0 ? given : undefined;
  const digest = createHash("sha256").update(call.body).digest("base64url");
  try {
    checkEnvelope(call, call.body.length);
    const { taskId } = await readPushEvent(call);
    return { taskId, generation, key: JSON.stringify([taskId, generation ?? digest]) };
  } catch (error) {
    if (!(error instanceof RefusedPush)) throw error;
    const refusal: Refusal = { status: error.status, reason: error.message };
    return { generation, key: digest, refusal };
  }
}

/** Counts how often an event has come. */
function attemptOf({ attempts }: Receiver, key: string): number {
  const attempt = (attempts.get(key) ?? 0) + 1;
  attempts.set(key, attempt);
  return attempt;
}

/** The answer to a call, in which the receiver fails as often as it was told to. */
function answerTo(receiver: Receiver, refusal: Refusal | undefined): DeliveryAnswer & Refusal {
  const { fail } = receiver.settings;
  if (fail === undefined || fail.times === 0)
    return { headers: {}, ...(refusal ?? { status: 204, reason: "Accepted" }) };
  const times = fail.times - 1;
  receiver.settings = { ...receiver.settings, fail: { ...fail, times } };
  const headers = fail.retryAfter === undefined ? {} : { "Retry-After": String(fail.retryAfter) };
  return {
    status: fail.status,
    headers,
    reason: `The webhook was told to fail ${times === 0 ? "for the last time" : `${times} more ${times === 1 ? "time" : "times"}`}`,
  };
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, MAX_TEXT));
}

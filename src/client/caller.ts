import type { AgentCard, Received, StreamResponse } from "../protocol/model.js";
import {
  type OperationName,
  type OperationTypes,
  operation,
  type StreamingOperationName,
  type UnaryOperationName,
} from "../protocol/operations.js";
import { delay, pause } from "./backoff.js";
import { type Attempt, callStream, callUnary } from "./call-agent.js";
import type { Channel } from "./channel.js";
import type { Address, LoadedBinding } from "./choose-interfaces.js";
import { displayUrl } from "./client-error.js";
import { isTransient, isUnreachable, requestedDelay, wasNeverSent } from "./connection-error.js";
import { Deadline } from "./deadline.js";
import { type ClientCall, intercept } from "./interceptor.js";
import type { CallOptions, ClientSettings } from "./options.js";
import { extensionsToRequest } from "./service-parameters.js";

/** What a {@link Caller} works with. */
export interface CallerOptions {
  /** At least one. */
  readonly addresses: readonly Address[];
  readonly channel: Channel;
  readonly settings: ClientSettings;
  /** The current card. */
  readonly card: () => AgentCard;
}

/** Options of {@link Caller.open}. */
export interface OpenOptions extends CallOptions {
  /** Disables retries: a stream that reconnects repeats the call itself. */
  readonly once?: boolean;
  /** Context of the task, if an earlier connection has named it. The client compares events with it. */
  readonly contextId?: string | undefined;
}

/** Makes calls: local checks, interceptors, retries where they are safe, and failover to the next interface. */
export class Caller {
  readonly #options: CallerOptions;
  #address: Address;
  #calls = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#address = options.addresses[0] as Address;
  }

  /** The current interface. */
  get address(): Address {
    return this.#address;
  }

  /**
   * Makes a unary call.
   * @throws ClientError CAPABILITY_MISSING when the card does not declare the capability of the operation, and the option `localChecks` is
   * true; the errors of {@link callUnary}; what interceptors throw; the reason of the caller's signal
   */
  async unary<Name extends UnaryOperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options: CallOptions = {},
  ): Promise<OperationTypes[Name]["received"]> {
    const { settings } = this.#options;
    const result = await this.#intercepted(name, request, options, async (call) => {
      const deadline = new Deadline(call.signal);
      const total = options.timeout ?? settings.timeouts.total;
      const onReady = (): void => deadline.begin("total", total);
      try {
        return await this.#repeat(call, options, { deadline, onReady }, async (attempt) => {
          try {
            return await callUnary(attempt);
          } finally {
            attempt.deadline.close();
          }
        });
      } finally {
        deadline.close();
      }
    });
    return result as OperationTypes[Name]["received"];
  }

  /**
   * Opens one connection of a stream. The caller's signal closes it.
   * @throws ClientError CAPABILITY_MISSING, as {@link unary} does; the errors of {@link callStream}; what interceptors throw; the reason of
   * the caller's signal
   */
  async open<Name extends StreamingOperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options: OpenOptions,
  ): Promise<AsyncIterable<Received<StreamResponse>>> {
    const result = await this.#intercepted(name, request, options, (call) => {
      const timing = { deadline: new Deadline(call.signal), onReady: () => undefined };
      return this.#repeat(call, options, timing, async (attempt) => {
        try {
          return await callStream(attempt);
        } catch (error) {
          attempt.deadline.close();
          throw error;
        }
      });
    });
    return result as AsyncIterable<Received<StreamResponse>>;
  }

  async #intercepted<Name extends OperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options: CallOptions,
    perform: (call: ClientCall) => ReturnType<typeof intercept>,
  ): ReturnType<typeof intercept> {
    const { settings, card } = this.#options;
    if (settings.localChecks) await checkCapability(name, card());
    const call: ClientCall = {
      operation: name,
      request,
      headers: { ...options.headers },
      signal: options.signal,
    };
    return intercept(settings.interceptors, call, () => perform(call));
  }

  /** Makes a call, and retries it after a transient failure if the call is safe to repeat (§3.3.1). */
  async #repeat<T>(
    call: ClientCall,
    options: OpenOptions,
    timing: { readonly deadline: Deadline; readonly onReady: () => void },
    run: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const { settings } = this.#options;
    const { deadline } = timing;
    const isSafe = isRepeatable(call.operation) || options.safeToRepeat === true;
    // While an attempt gets credentials, or renews them after 401, it waits for another host than the interface's, such as an OAuth issuer.
    // Another interface would not help then.
    let isReady = false;
    const onReady = () => {
      isReady = true;
      timing.onReady();
    };
    const onUnrenewed = () => {
      isReady = false;
    };
    const mayFailOver = (error: unknown) =>
      isReady && isUnreachable(error) && (isSafe || wasNeverSent(error));
    for (let failures = 0; ; failures++) {
      try {
        return await this.#atAnyAddress(deadline, mayFailOver, async (address) => {
          isReady = false;
          const loading = address.load();
          const loaded = loading instanceof Promise ? await loading : loading;
          return run({
            ...this.#attempt(call, options, address),
            ...loaded,
            onReady,
            onUnrenewed,
            deadline: new Deadline(deadline.signal, deadline),
          });
        });
      } catch (error) {
        const retry = isSafe && options.once !== true ? settings.retry : undefined;
        if (retry === undefined || failures >= retry.attempts || !isTransient(error)) throw error;
        if (deadline.signal.aborted) throw error;
        await pause(Math.max(delay(retry, failures), requestedDelay(error)), deadline.signal);
      }
    }
  }

  #attempt(
    call: ClientCall,
    { extensions: more, contextId }: OpenOptions,
    address: Address,
  ): Omit<Attempt, keyof LoadedBinding | "deadline" | "onReady" | "onUnrenewed"> {
    const { channel, settings } = this.#options;
    const { operation: name, request, headers } = call;
    const extensions = extensionsToRequest(settings.extensions, more);
    this.#calls += 1;
    const content = { operation: name, request, contextId, headers, extensions, id: this.#calls };
    return { ...content, address, channel, settings };
  }

  /**
   * Tries the interfaces in turn, beginning with the current one, while they cannot be reached or do not answer in time (§5.2) and the call
   * may be sent again. Interfaces of another tenant are left out: they do not have the current tenant's tasks, and must not get its
   * messages (§8.3.2).
   */
  async #atAnyAddress<T>(
    deadline: Deadline,
    mayFailOver: (error: unknown) => boolean,
    run: (address: Address) => Promise<T>,
  ): Promise<T> {
    const { addresses: all, settings } = this.#options;
    const addresses = all.filter(({ tenant }) => tenant === this.#address.tenant);
    for (let tried = 1; ; tried++) {
      const address = this.#address;
      try {
        return await run(address);
      } catch (error) {
        if (!mayFailOver(error) || tried >= addresses.length || deadline.signal.aborted) throw error;
        const next = addresses[(addresses.indexOf(address) + 1) % addresses.length] as Address;
        if (this.#address === address) this.#address = next;
        const { entry, url } = this.#address;
        settings.logger.warn(
          { protocolBinding: entry.protocolBinding, url: displayUrl(url), err: error },
          "An interface cannot be reached; trying this one",
        );
      }
    }
  }
}

/** Whether an operation may always be retried: those with a safe or idempotent HTTP method, and CancelTask (§3.3.1). */
function isRepeatable(name: OperationName): boolean {
  return (
    name === "CancelTask" || operation(name).http.some(({ verb }) => verb === "GET" || verb === "DELETE")
  );
}

/**
 * Checks that the agent's card declares the capability that an operation needs (§3.3.4).
 * @throws ClientError CAPABILITY_MISSING
 */
async function checkCapability(name: OperationName, { capabilities }: AgentCard): Promise<void> {
  const { capability } = operation(name);
  const declared = capability === null || capabilities[capability as keyof typeof capabilities];
  if (declared === true) return;
  throw (await import("./connect-error.js")).undeclaredCapability(name, `${capability}`, declared);
}

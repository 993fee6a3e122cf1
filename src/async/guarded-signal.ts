/** Receives the errors of listeners. */
export interface FaultLog {
  error(facts: object, text: string): void;
}

type Callback = (this: EventTarget, event: Event) => unknown;
type Listener = Callback | { handleEvent(event: Event): unknown };

const logs = new WeakMap<EventTarget, FaultLog>();
const guards = new WeakMap<object, (event: Event) => Promise<void>>();
const { addEventListener, removeEventListener } = EventTarget.prototype;
const onabort = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "onabort");

/** The methods of guarded signals: those of an `AbortSignal`, with listeners that never throw. */
const guarded = Object.create(AbortSignal.prototype, {
  addEventListener: method(function (this: EventTarget, type: string, listener: Listener, options?: object) {
    addEventListener.call(this, type, guardOf(listener), options);
  }),
  removeEventListener: method(function (
    this: EventTarget,
    type: string,
    listener: Listener,
    options?: object,
  ) {
    removeEventListener.call(this, type, guardOf(listener), options);
  }),
  onabort: {
    configurable: true,
    get(this: AbortSignal) {
      return onabort?.get?.call(this);
    },
    set(this: AbortSignal, listener: Listener) {
      onabort?.set?.call(this, guardOf(listener));
    },
  },
});

/**
 * Guards the listeners of a signal that is handed to code of the application: the error of one that throws or rejects is logged. Without
 * the guard, Node would end the process. The signal stays an `AbortSignal` for `fetch`, `events.once`, timers and `AbortSignal.any`, whose
 * result is not guarded.
 *
 * @returns the signal
 */
export function guardSignal(signal: AbortSignal, log: FaultLog): AbortSignal {
  if (logs.has(signal)) return signal;
  logs.set(signal, log);
  return Object.setPrototypeOf(signal, guarded);
}

/** The guard of a listener, the same each time, so that it can be removed. */
function guardOf(listener: Listener): Listener {
  if ((typeof listener !== "function" && typeof listener !== "object") || listener === null) return listener;
  let guard = guards.get(listener);
  if (guard === undefined) {
    guard = async function (this: EventTarget, event: Event) {
      try {
        await (typeof listener === "function" ? listener.call(this, event) : listener.handleEvent(event));
      } catch (err) {
        logs.get(this)?.error({ err }, "A listener of an executor's signal failed");
      }
    };
    guards.set(listener, guard);
  }
  return guard;
}

function method(value: unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true };
}

/** A metric without its name. */
export interface Metric {
  /** In UCUM notation. */
  readonly unit: string;
  readonly description: string;
}

/** Counters: values only increase. */
export const counters = {
  "a2a.tasks": { unit: "{task}", description: "Tasks that have ended, by agent and final state" },
  "a2a.server.events": { unit: "{event}", description: "Events appended to the logs of tasks, by kind" },
  "a2a.server.refusals": {
    unit: "{request}",
    description: "Requests that were answered with an error, by code and operation",
  },
  "a2a.server.deliveries": {
    unit: "{attempt}",
    description: "Attempts to call a webhook, by outcome",
  },
  "a2a.server.stalled": {
    unit: "{connection}",
    description: "Connections, and streams of HTTP/2, that were closed because the caller read nothing",
  },
  "a2a.server.log.dropped": {
    unit: "{line}",
    description: "Log lines that were dropped because there were too many with the same text",
  },
} as const satisfies Readonly<Record<string, Metric>>;

/**
 * Upper limits of the buckets of durations, in seconds: from an answer without work to executors that wait for a model. The defaults of
 * OpenTelemetry are for milliseconds and would count nearly everything as at most 5.
 */
export const DURATION_BUCKETS: readonly number[] = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600],
];

/** Histograms of durations. */
export const durations = {
  "a2a.server.operation.duration": {
    unit: "s",
    description: "Time from a request that was read to its answer, or to the end of its stream",
  },
  "a2a.execution.duration": {
    unit: "s",
    description: "Time of one run of an executor, its waits for the caller included",
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Gauges: read at each collection. */
export const gauges = {
  "a2a.server.streams": {
    unit: "{stream}",
    description: "Open event streams, and reads that wait for the next generation of their task",
  },
  "a2a.server.executions": {
    unit: "{task}",
    description: "Tasks whose executor is running or waits for its caller, without the abandoned executors",
  },
  "a2a.server.abandoned": {
    unit: "{executor}",
    description: "Executors that are still running `limits.stopTime` seconds after their signal was aborted",
  },
  "a2a.server.waiting": { unit: "{request}", description: "Messages that wait until an executor can start" },
  "a2a.server.messages": {
    unit: "By",
    description:
      "Bytes of messages that executors work on or that wait for one, and of their tasks, small ones left out",
  },
  "a2a.server.connections": { unit: "{connection}", description: "Open connections, where `serve` listens" },
  "a2a.server.received": {
    unit: "By",
    description: "Bytes of requests that are being received or wait until their caller is known",
  },
  "a2a.server.unsent": {
    unit: "By",
    description: "Bytes of answers and stream events that wait to be sent, small ones left out",
  },
  "a2a.server.unsent.waiting": {
    unit: "{answer}",
    description:
      "Reads, answers and stream events that wait until less is unsent, or for a later turn of the event loop",
  },
  "a2a.server.outbox.depth": {
    unit: "{webhook}",
    description: "Webhooks to which an event is being delivered, retries included",
  },
  "a2a.server.outbox.age": {
    unit: "s",
    description: "Longest time that the delivery of an event has taken so far, of all webhooks",
  },
  "a2a.server.outbox.bytes": {
    unit: "By",
    description:
      "Bytes of notifications that are being sent to webhooks or are sent next, small ones left out",
  },
  "a2a.server.stored": { unit: "By", description: "Bytes that the store keeps in the memory of the process" },
} as const satisfies Readonly<Record<string, Metric>>;

/** Name of a counter. */
export type CounterName = keyof typeof counters;
/** Name of a histogram of durations. */
export type DurationName = keyof typeof durations;

/** The gauges of one server at one moment. */
export type Readings = Readonly<Record<keyof typeof gauges, number>>;

/** The gauges whose value for several servers is the highest one. That of every other gauge is the sum. */
const highest: ReadonlySet<string> = new Set<keyof typeof gauges>(["a2a.server.outbox.age"]);

/** The value of a gauge for several servers together; 0 if there is none. */
export function combined(name: keyof typeof gauges, servers: readonly Readings[]): number {
  const values = servers.map((readings) => readings[name]);
  return highest.has(name) ? Math.max(0, ...values) : values.reduce((sum, value) => sum + value, 0);
}

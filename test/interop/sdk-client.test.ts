import { afterAll, beforeAll } from "vitest";
import { startProbe } from "../support/probe.js";
import { sdkClientTests } from "./sdk-client.js";

/** The published peer's client against the probe agent in a process of its own. */

let probe: Awaited<ReturnType<typeof startProbe>>;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  probe = await startProbe({ onTestFinished: (stop) => void stops.push(stop as () => Promise<void>) });
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

sdkClientTests({ url: () => probe.url, name: "" });

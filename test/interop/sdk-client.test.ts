import { after, before } from "node:test";
import { startProbe } from "../support/probe.js";
import { sdkClientTests } from "./sdk-client.js";

/** The published peer's client against the probe agent in a process of its own. */

let probe: Awaited<ReturnType<typeof startProbe>>;
const stops: (() => Promise<void>)[] = [];
before(async () => {
  probe = await startProbe({ after: (stop) => void stops.push(stop as () => Promise<void>) });
});
after(async () => {
  for (const stop of stops) await stop();
});

sdkClientTests({ url: () => probe.url, name: "" });

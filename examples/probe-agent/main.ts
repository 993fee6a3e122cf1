import { serveProbe } from "./serve.js";
import { readSettings } from "./settings.js";

const probe = await serveProbe(readSettings(process.env));
// The process that starts the probe waits for this line, and reads the port from it.
console.log(`listening ${probe.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void probe.close());
}

import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { serveProbe } from "../support/probe.js";
import { replay, transcriptsIn } from "./transcript.js";

const script = fileURLToPath(new URL("script.json", import.meta.url));

for (const file of ["currency-0.1", "currency-0.3", "currency-1.0", "simple-a2a"]) {
  test(`the probe agent with all versions gives the documented answers: ${file}`, async (t) => {
    const url = await serveProbe(t, {
      VERSIONS: "1.0,0.3,0.1",
      SCRIPT: script,
      ALLOW_PRIVATE_WEBHOOKS: "on",
    });
    for (const transcript of transcriptsIn(`${file}.json`)) {
      await replay(url, transcript, { $url: url }).catch((error: unknown) => {
        throw new Error(transcript.name, { cause: error });
      });
    }
  });
}

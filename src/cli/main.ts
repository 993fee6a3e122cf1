#!/usr/bin/env node
import { unsupportedNode } from "../runtime/supported-node.js";

const unsupported = unsupportedNode(process.versions);
if (unsupported === undefined) {
  const { start } = await import("./start.js");
  await start();
} else {
  // The rest of the program is not loaded: on this version that fails, with a stack trace instead of one line.
  process.stderr.write(`error: ${unsupported}\n`);
  process.exitCode = 1;
}

import assert from "node:assert/strict";
import type { Readings, Telemetry } from "../../src/server/index.js";

/** A telemetry that does nothing but let a test read the gauges of the server that has it. */
export function gauges(): { readonly telemetry: Telemetry; read(): Readings | Promise<Readings> } {
  let read: () => Readings | Promise<Readings> = () => assert.fail("no server has this telemetry");
  const telemetry: Telemetry = {
    begin: (_, { parent }) => ({ trace: parent, run: (body) => body(), annotate: () => {}, end: () => {} }),
    count: () => {},
    time: () => {},
    observe(readings) {
      read = readings;
      return () => {};
    },
  };
  return { telemetry, read: () => read() };
}

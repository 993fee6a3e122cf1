import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  readBytes,
  readEnum,
  readInteger,
  readLong,
  readTimestamp,
} from "../../src/versions/proto-scalars.js";

const bytes: [given: unknown, read: unknown][] = [
  ["", ""],
  ["AA==", "AA=="],
  ["AA", "AA=="],
  ["AAA", "AAA="],
  ["AAAA", "AAAA"],
  ["-_-_", "+/+/"],
  ["-_8", "+/8="],
  ["AB==", "AA=="],
  ["AAB=", "AAA="],
  ["A", "A"],
  ["AA=", "AA="],
  ["AAA==", "AAA=="],
  ["AA==AA==", "AA==AA=="],
  ["AA AA", "AA AA"],
  ["AAAA\n", "AAAA\n"],
  ["ä", "ä"],
  [7, 7],
];

for (const [given, read] of bytes) {
  test(`JSONV-08, JSONV-09: base64 ${JSON.stringify(given)} reads as ${JSON.stringify(read)}`, () => {
    assert.equal(readBytes(given), read);
  });
}

test("JSONV-08: bytes in any base64 spelling read as the canonical one", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), fc.boolean(), (octets, urlSafe, padded) => {
      const canonical = Buffer.from(octets).toString("base64");
      let spelling = urlSafe ? canonical.replaceAll("+", "-").replaceAll("/", "_") : canonical;
      if (!padded) spelling = spelling.replace(/=+$/, "");
      assert.equal(readBytes(spelling), canonical);
    }),
  );
});

test("JSONV-08: a raw part of 20 MB is read", () => {
  const digits = "A".repeat(20 * 1024 * 1024);
  assert.equal(readBytes(`${digits}AA`), `${digits}AA==`);
});

const integers: [given: unknown, read: unknown][] = [
  ["7", 7],
  ["-7", -7],
  ["10.0", 10],
  ["1e1", 10],
  ["1E+1", 10],
  ["007", 7],
  [10.0, 10],
  [1e1, 10],
  ["1.5", "1.5"],
  [1.5, 1.5],
  ["", ""],
  [" 7", " 7"],
  ["seven", "seven"],
  ["0x10", "0x10"],
  ["1e999", "1e999"],
  [true, true],
];

for (const [given, read] of integers) {
  test(`JSONV-05, JSONV-06: integer ${JSON.stringify(given)} reads as ${JSON.stringify(read)}`, () => {
    assert.equal(readInteger(given), read);
  });
}

const longs: [given: unknown, read: unknown][] = [
  ["9223372036854775807", "9223372036854775807"],
  ["-007", "-7"],
  ["1e3", "1000"],
  [7, "7"],
  [1.5, 1.5],
  [2 ** 53, 2 ** 53],
  ["9".repeat(21), "9".repeat(21)],
];

for (const [given, read] of longs) {
  test(`64-bit integer ${JSON.stringify(given)} reads as ${JSON.stringify(read)}`, () => {
    assert.equal(readLong(given), read);
  });
}

test("a 64-bit integer with a million digits is not converted, which would take half a second", () => {
  const digits = "9".repeat(1_000_000);
  const before = performance.now();
  assert.equal(readLong(digits), digits);
  assert.ok(performance.now() - before < 200);
});

const times: [given: unknown, read: unknown][] = [
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"],
  ["2026-01-31t12:00:00z", "2026-01-31T12:00:00Z"],
  ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123456789Z"],
  ["2026-01-31T12:00:00+01:00", "2026-01-31T11:00:00Z"],
  ["2026-01-31T23:30:00.5-01:00", "2026-02-01T00:30:00.5Z"],
  ["2026-01-01T00:10:00+05:30", "2025-12-31T18:40:00Z"],
  ["2026-01-31T12:00:00+0100", "2026-01-31T11:00:00Z"],
  ["0099-01-31T12:00:00+00:00", "0099-01-31T12:00:00Z"],
  ["2024-02-29T12:00:00+00:00", "2024-02-29T12:00:00Z"],
  ["2026-02-29T12:00:00+00:00", "2026-02-29T12:00:00+00:00"],
  ["2026-13-01T12:00:00Z", "2026-13-01T12:00:00Z"],
  ["2026-01-00T12:00:00Z", "2026-01-00T12:00:00Z"],
  ["2026-01-31T24:00:00Z", "2026-01-31T24:00:00Z"],
  ["2026-01-31T12:00:00.1234567890Z", "2026-01-31T12:00:00.1234567890Z"],
  ["2026-01-31T12:00:00", "2026-01-31T12:00:00"],
  ["2026-01-31 12:00:00Z", "2026-01-31 12:00:00Z"],
  ["yesterday", "yesterday"],
  [1_700_000_000, 1_700_000_000],
];

for (const [given, read] of times) {
  test(`JSONV-10, JSONV-12, JSONV-13: time ${JSON.stringify(given)} reads as ${JSON.stringify(read)}`, () => {
    assert.equal(readTimestamp(given), read);
  });
}

test("JSONV-13: a time with any offset reads as the same instant in UTC", () => {
  const instant = fc.date({ min: new Date("1000-01-01"), max: new Date("9000-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.integer({ min: -23 * 60, max: 23 * 60 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
      const zone = `${offset < 0 ? "-" : "+"}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
      assert.equal(readTimestamp(local + zone), date.toISOString());
    }),
  );
});

test("JSONV-02, JSONV-03: an enum number reads as its name, and a number without a name as no name", () => {
  const names = new Map([
    [0, "ZERO"],
    [1, "ONE"],
  ]);
  assert.equal(readEnum(1, names), "ONE");
  assert.equal(readEnum("ONE", names), "ONE");
  assert.equal(readEnum(7, names), 7);
  assert.equal(readEnum("1", names), "1");
  assert.equal(readEnum(null, names), null);
});

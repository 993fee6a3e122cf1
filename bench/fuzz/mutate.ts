import type { Random } from "../random.js";

/** Values that are invalid in most places. */
const strangers: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 31, Number.MAX_SAFE_INTEGER + 2],
  ...[
    "",
    " ",
    "\0",
    "\ud800",
    "\u2028",
    "ROLE_USER",
    "TASK_STATE_WORKING",
    "../../etc/passwd",
    "%00",
    "\r\nX: y",
  ],
  ...[
    "x".repeat(10_000),
    "😀".repeat(1000),
    "1e9",
    "NaN",
    "2026-13-45T99:99:99Z",
    "not base64!",
    "javascript:alert(1)",
  ],
  ...[[], {}, [[]], [null], { "": "" }, { toString: "x", valueOf: 1, length: -1 }, { $ref: "#" }],
];

const names: readonly string[] = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "toJSON", "length"],
  ...[
    "message",
    "parts",
    "text",
    "data",
    "raw",
    "url",
    "metadata",
    "taskId",
    "task_id",
    "id",
    "kind",
    "tenant",
    "",
  ],
];

/** A JSON value with faults or additional members; sometimes unchanged. */
export function mutateValue(random: Random, value: unknown): unknown {
  let mutated = structuredClone(value);
  while (random.chance(0.45)) mutated = mutateOnce(random, mutated, 0);
  return mutated;
}

function mutateOnce(random: Random, value: unknown, depth: number): unknown {
  const isHere = depth > 6 || random.chance(0.25) || typeof value !== "object" || value === null;
  if (isHere) return depth === 0 && !random.chance(0.1) ? value : replaced(random, value);
  if (Array.isArray(value)) {
    if (random.chance(0.2)) return [...value, ...value, ...value].slice(0, 200);
    return value.map((item, index) =>
      index === random.below(value.length) ? mutateOnce(random, item, depth + 1) : item,
    );
  }
  return mutatedObject(random, value as Record<string, unknown>, depth);
}

function mutatedObject(random: Random, value: Record<string, unknown>, depth: number): unknown {
  const entries = Object.entries(value);
  const chosen = random.below(Math.max(entries.length, 1));
  const [name, member] = entries[chosen] ?? [random.pick(names), random.pick(strangers)];
  const others = entries.filter((_, index) => index !== chosen);
  const next: [string, unknown][] = random.chance(0.6)
    ? [[name, mutateOnce(random, member, depth + 1)]]
    : random.pick<[string, unknown][]>([
        [],
        [[random.pick(names), member]],
        [
          [name, member],
          [random.pick(names), random.pick(strangers)],
        ],
      ]);
  // Not by assignment, because a name such as __proto__ has a meaning for objects.
  return Object.fromEntries([...others, ...next]);
}

function replaced(random: Random, value: unknown): unknown {
  if (random.chance(0.2)) return nested(random, value);
  if (typeof value === "string" && random.chance(0.4))
    return value + random.pick(["\0", "é", " ", "/", ":", "x".repeat(300)]);
  return random.pick(strangers);
}

function nested(random: Random, value: unknown): unknown {
  let outer = value;
  for (let depth = random.below(150); depth > 0; depth -= 1)
    outer = random.chance(0.5) ? [outer] : { data: outer };
  return outer;
}

/** Bytes with some of them changed, removed or doubled; mostly unchanged. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  if (random.chance(0.85) || bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const until = Math.min(bytes.length, at + 1 + random.below(8));
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
  const noise = Buffer.from(Array.from({ length: 1 + random.below(4) }, () => random.below(256)));
  return Buffer.concat(
    random.pick([
      [before],
      [before, after],
      [before, noise, after],
      [before, middle, middle, after],
      [before, noise],
    ]),
  );
}

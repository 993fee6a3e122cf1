import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { closingQuote } from "../../src/json/json-string.js";
import {
  hasMoreMembers,
  hasMoreValues,
  isJsonObject,
  MAX_DEPTH,
  MAX_NAME,
  writeJson,
} from "../../src/json/json-text.js";
import { readJson } from "../../src/json/read-json.js";
import { A2AError } from "../../src/protocol/errors.js";

function refusal(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    assert.ok(error instanceof A2AError);
    return error.code;
  }
  return "accepted";
}

for (const text of [
  "",
  " ",
  "{",
  '{"a":}',
  "{'a':1}",
  "undefined",
  "[1,]",
  '"\\x"',
  '"\\u12"',
  "\u0000",
  "NaN",
  "[Infinity]",
]) {
  test(`RPC-05, JSONV-15: ${JSON.stringify(text)} is not JSON`, () => {
    assert.equal(refusal(text), "PARSE_ERROR");
  });
}

test("JSONV-17: of two members with one name the last counts", () => {
  assert.deepEqual(readJson('{"a":1,"a":2}'), { a: 2 });
});

test("JSONV-18: a member called __proto__ is read as plain data", () => {
  const value = readJson('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(value.polluted, undefined);
});

const surrogates: [escaped: string, read: string][] = [
  ["\\ud83d\\ude00", "😀"],
  ["\\uD83D\\uDE00", "😀"],
  ["\\ud83d", "\ufffd"],
  ["\\ude00", "\ufffd"],
  ["\\ud83d\\ud83d\\ude00", "\ufffd😀"],
  ["\\ude00\\ud83d", "\ufffd\ufffd"],
  ["\\ud83dx\\ude00", "\ufffdx\ufffd"],
  ["\\\\ud83d", "\\ud83d"],
  ["\\\\\\ud83d", "\\\ufffd"],
  ["\\n\\ud83d\\u0041", "\n\ufffdA"],
  ["😀 ünï", "😀 ünï"],
];

for (const [escaped, read] of surrogates) {
  test(`JSONV-19: the JSON string "${escaped}" is read without lone surrogates`, () => {
    assert.equal(readJson(`"${escaped}"`), read);
  });
}

test("JSONV-19: any row of escapes is read as if lone surrogates were replaced afterwards, or refused as JSON is", () => {
  const pieces = [
    "\\\\",
    "\\ud83d",
    "\\ude00",
    "\\uD800",
    "\\n",
    '\\"',
    "\\u0041",
    "\\ud8zz",
    "\\ud",
    "u",
    "d",
    "😀",
  ];
  fc.assert(
    fc.property(fc.constantFrom("", "\\n".repeat(40)), fc.array(fc.constantFrom(...pieces)), (many, row) => {
      const text = `"${many}${row.join("")}"`;
      let expected: string | undefined;
      try {
        expected = Buffer.from(JSON.parse(text) as string).toString();
      } catch {
        assert.equal(refusal(text), "PARSE_ERROR");
        return;
      }
      assert.equal(readJson(text), expected);
    }),
    { numRuns: 2000 },
  );
});

test("JSONV-19, RESTB-10: any text is written as JSON that holds no lone surrogate and no line break", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))),
      }),
      (text) => {
        const written = writeJson({ text });
        assert.doesNotMatch(written, /[\r\n]/);
        const { text: back } = JSON.parse(written) as { text: string };
        assert.equal(back, Buffer.from(text, "utf8").toString("utf8"));
        assert.deepEqual(readJson(written), { text: back });
      },
    ),
  );
});

test("SEC-08: a body with too many values is refused before it is parsed; commas and brackets inside strings do not count", () => {
  const values = 10;
  const read = (text: string) => readJson(text, { values });
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 0));
  assert.equal((read(list(values)) as unknown[]).length, values);
  const tooMany = [
    list(values + 1),
    `[${"{},".repeat(6)}{}]`,
    `{"a":[[],[],[]],"b":{"c":[1,2,3],"d":[]}}`,
    "[".repeat(11),
  ];
  for (const text of tooMany) {
    assert.throws(() => read(text), { code: "INVALID_REQUEST", message: /more than 10 values/ }, text);
  }
  assert.equal(read(JSON.stringify(',[{"\\'.repeat(100))), ',[{"\\'.repeat(100));
  for (const broken of ['"', `"${",".repeat(100)}`, `["${"\\\\".repeat(50)}\\"${",".repeat(100)}`]) {
    assert.throws(() => read(broken), { code: "PARSE_ERROR" }, broken);
  }
});

test("SEC-08: a body that is nested too deeply is refused, brackets inside strings do not count", () => {
  const nest = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
  assert.equal(refusal(nest(MAX_DEPTH, "[", "]")), "accepted");
  assert.equal(refusal(nest(MAX_DEPTH + 1, "[", "]")), "INVALID_REQUEST");
  assert.equal(refusal(nest(100_000, "[", "]")), "INVALID_REQUEST");
  assert.equal(refusal(`${'{"a":'.repeat(MAX_DEPTH + 1)}1${"}".repeat(MAX_DEPTH + 1)}`), "INVALID_REQUEST");
  assert.equal(refusal(JSON.stringify({ a: "[".repeat(1000), b: '\\"{' })), "accepted");
  assert.equal(refusal(JSON.stringify(Array.from({ length: 1000 }, () => [{}]))), "accepted");
  assert.equal(refusal("[".repeat(1000)), "PARSE_ERROR");
  const quoted = JSON.stringify({ a: '\\"[', b: '"', c: "\\\\", d: '[\\"' });
  const wide = (depth: number) => `[${`${quoted},`.repeat(MAX_DEPTH)}${nest(depth, "[", "]")}]`;
  assert.equal(refusal(wide(MAX_DEPTH - 1)), "accepted");
  assert.equal(refusal(wide(MAX_DEPTH)), "INVALID_REQUEST");
});

test("JSON objects are told from lists, null and scalars", () => {
  assert.deepEqual([{}, [], null, "x", 1, true, undefined].map(isJsonObject), [
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("values are counted by what separates them, outside of strings", () => {
  for (const [text, count] of [
    ["[1,2,3]", 3],
    ['{"a":[{},{}]}', 5],
    ['["a,b[{","\\\\",",\\",["]', 3],
    [`"${",".repeat(100)}"`, 0],
  ] as const) {
    JSON.parse(text);
    assert.equal(hasMoreValues(text, count), false, text);
    if (count > 0) assert.equal(hasMoreValues(text, count - 1), true, text);
  }
  // A string that does not end is left to the parser.
  assert.equal(hasMoreValues(`["${",".repeat(100)}`, 50), false);
});

test("SEC-08: a body with too many members is refused before it is parsed; colons inside strings do not count", () => {
  const members = 3;
  const read = (text: string) => readJson(text, { members });
  for (const [text, count] of [
    ['{"a":1,"b":{"c":[2,3]}}', 3],
    ['[{"a":1},{"a":2},{"a":3}]', 3],
    ['{ "a" : "b:c\\":\\\\" , "d:e" : ":" }', 2],
    [`["${":".repeat(100)}"]`, 0],
  ] as const) {
    assert.deepEqual(read(text), JSON.parse(text));
    assert.equal(hasMoreMembers(text, count), false, text);
    if (count > 0) assert.equal(hasMoreMembers(text, count - 1), true, text);
  }
  for (const text of [
    '{"a":1,"b":2,"c":3,"d":4}',
    '[{"a":1},{"a":1},{"a":1},{"a":1}]',
    '{"a":1,"a":1,"a":1,"a":1',
  ]) {
    assert.throws(() => read(text), { code: "INVALID_REQUEST", message: /more than 3 members/ }, text);
  }
});

test("SEC-08: an object with a member name of more than 16,383 characters is refused by its path before it is parsed", () => {
  const name = "x".repeat(MAX_NAME);
  const value = { [name]: `${name}x:`, "https://example.com/extension": 1 };
  assert.deepEqual(readJson(JSON.stringify(value)), value);
  const texts: [text: string, path: string][] = [
    [`{"${name}x":1}`, "the body"],
    [
      `{"params":{"message":{"parts":[{"text":"a,{"},{"data":[1,{"${name}x"\n :1}]}]}}}`,
      "params.message.parts[1].data[1]",
    ],
    [`{"a":"${name}\\"${name}","m":{"${'\\"'.repeat(MAX_NAME)}":1}}`, "m"],
  ];
  for (const [text, path] of texts) {
    assert.throws(() => readJson(text), {
      code: "INVALID_REQUEST",
      message: `Invalid request: ${path} has a member name of more than ${MAX_NAME} characters`,
    });
  }
  // What lies between two strings is no name, and a value is none.
  for (const text of [`["a"${" ".repeat(20_000)},":"]`, `["${name}x",":"]`, `{"a":"${name}x"}`])
    assert.deepEqual(readJson(text), JSON.parse(text));
  for (const broken of [`{"${name}x`, `{"${name}x":`, `${name}"`, `"${name}\\`])
    assert.throws(() => readJson(broken), /Invalid|parse|JSON/i, broken.slice(0, 10));
});

test("SEC-08: the end of a string is found in any row of quotes and backslashes", () => {
  const pieces = [
    "\\\\",
    '\\"',
    "a",
    "\\n",
    "\\u0022",
    "x".repeat(5000),
    '\\"'.repeat(3000),
    "\\\\".repeat(3000),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces)), (row) => {
      const text = `["${row.join("")}","after"]`;
      assert.equal(closingQuote(text, 2), text.length - '","after"]'.length);
    }),
  );
  for (const open of ['"', '"abc', '"\\', '"\\"', `"${'\\"'.repeat(5000)}`])
    assert.ok(closingQuote(open, 1) >= open.length);
});

test("SEC-08: texts of escapes, quotes and surrogates take about as long to read as any other text of their length", () => {
  const MIB = 1024 * 1024;
  const filled = (piece: string, after = "") => `{"a":"${piece.repeat((9 * MIB) / piece.length)}${after}"}`;
  const plain = cpuTime(() => readJson(filled("plain \\n text ")));
  const texts: Record<string, string> = {
    quotes: filled('\\"'),
    backslashes: filled("\\\\", "\\ud800"),
    surrogates: filled("\\ud800"),
    "escapes of letters": filled("\\u0061", "\\ud800"),
    "backslashes before u": filled("\\\\ud800", "\\ud800"),
    "quotes and commas": filled('\\",', "\\ud800"),
  };
  for (const [name, text] of Object.entries(texts)) {
    const time = cpuTime(() => readJson(text, { values: 200_000, members: 50_000 }));
    // Code that other tests have run before, on a busy machine, reads characters one by one at an eighth of the speed. Work that grows with the
    // square of the length takes minutes.
    assert.ok(time < 10 * plain + 300, `${name}: ${time} ms, plain text ${plain} ms`);
  }
});

/** Milliseconds for which the process works: the least of a few times. */
function cpuTime(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const from = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1000;
    }),
  );
}

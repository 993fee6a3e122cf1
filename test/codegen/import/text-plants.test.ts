import assert from "node:assert/strict";
import { test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import { earlyFacts, factsAsJsonSchema } from "./facts-as-json-schema.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, type Scratch, schemasTo10, scratch } from "./scratch.js";
import { specificationText, tables } from "./specification-text.js";

async function place(t: { onTestFinished: (end: () => Promise<void>) => void }): Promise<Scratch> {
  const made = await scratch(schemasTo10);
  t.onTestFinished(() => made.remove());
  return made;
}

/** What is planted in the text of 1.0, and the line that says so. */
const planted: readonly (readonly [
  what: string,
  plant: (made: ReturnType<typeof tables>) => void,
  line: RegExp,
])[] = [
  [
    "an error has another code",
    ({ errors }) => Object.assign(errors[0] ?? [], { 1: "-32099" }),
    /! error TASK_NOT_FOUND: -32001 .* is -32099/,
  ],
  [
    "an error has another HTTP status",
    ({ errors }) => Object.assign(errors[0] ?? [], { 3: "`410 Gone`" }),
    /! error TASK_NOT_FOUND: HTTP 404 NOT_FOUND is HTTP 410 NOT_FOUND/,
  ],
  [
    "an error has another gRPC status",
    ({ errors }) => Object.assign(errors[0] ?? [], { 2: "`ABORTED`" }),
    /! error TASK_NOT_FOUND: HTTP 404 NOT_FOUND is HTTP 404 ABORTED/,
  ],
  [
    "an error has another reason",
    ({ errors }) => Object.assign(errors[0] ?? [], { 4: "`NO_TASK`" }),
    /error TaskNotFoundError has the reason NO_TASK in the text, and TASK_NOT_FOUND in operations\.json/,
  ],
  [
    "an error is gone",
    ({ errors }) => errors.shift(),
    /error TaskNotFoundError is not in the table of the text/,
  ],
  [
    "an error is new",
    ({ errors }) => errors.push(["TaskPausedError", "-32010", "ABORTED", "409", "TASK_PAUSED"]),
    / {4}error TASK_PAUSED: -32010/,
  ],
  [
    "a method is gone",
    ({ methods }) => methods.shift(),
    /method SendMessage is not in the table of the text/,
  ],
  [
    "a method is new",
    ({ methods }) => methods.push(["Nap", "`TakeNap`", "-", "`POST /nap`"]),
    /method TakeNap is in the text only/,
  ],
  [
    "a method has another name",
    ({ methods }) => Object.assign(methods[0] ?? [], { 1: "`message/send`" }),
    /method SendMessage is not in the table of the text[\s\S]*method message\/send is in the text only/,
  ],
  [
    "a route is new",
    ({ methods }) => Object.assign(methods[0] ?? [], { 3: "POST /message:send POST /messages" }),
    / {4}route SendMessage: POST \/messages/,
  ],
  [
    "a route has another verb",
    ({ methods }) => Object.assign(methods[0] ?? [], { 3: "PUT /message:send" }),
    /route POST \/message:send of SendMessage is not in the table of the text/,
  ],
  [
    "a variable of a route is no member",
    ({ methods }) => Object.assign(methods[0] ?? [], { 3: "POST /message:send POST /rooms/{room}" }),
    /route POST \/rooms\/\{room\} of SendMessage is in the text only, and SendMessageRequest lacks one/,
  ],
];
for (const [what, plant, line] of planted) {
  test(`it is found in the text when ${what}`, async (t) => {
    const { root, file } = await place(t);
    const made = tables();
    plant(made);
    const proto = await file("a2a.proto", factsAsProto(factsOf10()));
    const text = await file("text.md", specificationText(made));
    const { lines } = await diffSchema(root, { file: proto, version: "1.0", text });
    assert.match(lines.join("\n"), line);
  });
}

for (const { what, content, reason } of [
  { what: "a definition", content: factsAsProto(factsOf10()), reason: /a protocol definition; what is read/ },
  { what: "an empty file", content: "", reason: /the file is empty/ },
  { what: "JSON", content: '{ "a": 1 }', reason: /JSON; what is read is the specification as Markdown/ },
  {
    what: "a page of another kind",
    content: "# Notes\n\nNothing.\n",
    reason: /no table of errors or methods/,
  },
  { what: "a byte order mark", content: `\ufeff${specificationText()}`, reason: /byte order mark/ },
  {
    what: "a page that contradicts itself",
    content: `${specificationText()}\n| Error | JSON-RPC code |\n|---|---|\n| TaskNotFoundError | -32099 |\n`,
    reason: /the text contradicts itself: TaskNotFoundError has -32001 and -32099/,
  },
]) {
  test(`${what} is refused as the text, with its name and the reason`, async (t) => {
    const { root, file } = await place(t);
    const proto = await file("a2a.proto", factsAsProto(factsOf10()));
    const text = await file("text.md", content);
    const { lines, exitCode } = await diffSchema(root, { file: proto, version: "1.0", text });
    assert.equal(exitCode, 2);
    assert.match(lines.join("\n"), reason);
    assert.ok(lines.join("\n").includes("text.md: "));
  });
}

test("a text is read beside a file of 1.x only, and --base-text beside --text only", async (t) => {
  const { root, file } = await place(t);
  const text = await file("text.md", specificationText());
  const early = await file("a2a.json", factsAsJsonSchema(earlyFacts("0.3"), "definitions"));
  const beside = await diffSchema(root, { file: early, text });
  assert.match(beside.lines.join("\n"), /--text is read beside a file of 1\.x/);
  const proto = await file("a2a.proto", factsAsProto(factsOf10()));
  const lone = await diffSchema(root, { file: proto, baseText: text });
  assert.match(lone.lines.join("\n"), /--base-text is compared with the file of --text/);
});

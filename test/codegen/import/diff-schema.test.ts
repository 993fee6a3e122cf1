import assert from "node:assert/strict";
import { afterAll, test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import type { Facts, FieldFacts } from "../../schema/read-contract.js";
import { factsAsBundle } from "./facts-as-bundle.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, schemasTo10, scratch } from "./scratch.js";

const place = await scratch(schemasTo10);
afterAll(() => place.remove());

type Plant = (facts: Facts) => unknown;

function fields(facts: Facts, message: string): Record<string, FieldFacts> {
  return facts.messages[message]?.fields ?? {};
}

function change(message: string, field: string, facts: Partial<FieldFacts>): Plant {
  return (all) => Object.assign(fields(all, message)[field] ?? {}, facts);
}

function route(facts: Facts, method: string): { verb: string; path: string } {
  return facts.methods[method]?.http[0] ?? { verb: "", path: "" };
}

/** Differences planted in an artifact: what only the definition can say, then what the bundle says too. */
const planted: { what: string; plant: Plant; lines: string[]; bundle?: string[] }[] = [
  {
    what: "a member is gone",
    plant: (facts) => delete fields(facts, "Part").filename,
    lines: ["Removed:", "  ! field Part.filename: string, number 6"],
    bundle: ["Removed:", "  ! field Part.filename: string, number 6"],
  },
  {
    what: "an optional member is new",
    plant: (facts) => Object.assign(fields(facts, "Part"), { weight: { number: 8, type: "int32" } }),
    lines: ["Added:", "    field Part.weight: int32, number 8"],
    bundle: ["Added:", "    field Part.weight: int32, number 8"],
  },
  {
    what: "a required member is new",
    plant: (facts) =>
      Object.assign(fields(facts, "Part"), { weight: { number: 8, type: "int32", required: true } }),
    lines: ["Added:", "  ! field Part.weight: int32, number 8, required"],
  },
  {
    what: "a type has changed",
    plant: change("Part", "raw", { type: "string" }),
    lines: [
      "Changed:",
      "  ! field Part.raw: bytes, number 2, in group content is string, number 2, in group content",
    ],
    bundle: [
      "Changed:",
      "  ! field Part.raw: bytes, number 2, in group content is string, number 2, in group content",
    ],
  },
  {
    what: "a single value has become a list",
    plant: change("TaskStatus", "message", { repeated: true }),
    lines: ["Changed:", "  ! field TaskStatus.message: Message, number 2 is list of Message, number 2"],
    bundle: ["Changed:", "  ! field TaskStatus.message: Message, number 2 is list of Message, number 2"],
  },
  {
    what: "a member has become required",
    plant: change("Task", "contextId", { required: true }),
    lines: ["Changed:", "  ! field Task.contextId: string, number 2 is string, number 2, required"],
  },
  {
    what: "a member is no longer required",
    plant: (facts) => delete fields(facts, "TaskStatus").state?.required,
    lines: ["Changed:", "  ! field TaskStatus.state: TaskState, number 1, required is TaskState, number 1"],
  },
  {
    what: "presence has become explicit",
    plant: change("Task", "contextId", { explicitPresence: true }),
    lines: ["Changed:", "    field Task.contextId: string, number 2 is string, number 2, explicit presence"],
    bundle: ["Changed:", "    field Task.contextId: string, number 2 is string, number 2, explicit presence"],
  },
  {
    what: "a number has changed",
    plant: change("Task", "contextId", { number: 22 }),
    lines: ["Changed:", "  ! field Task.contextId: string, number 2 is string, number 22"],
  },
  {
    what: "a member has left its group",
    plant: (facts) => delete fields(facts, "Part").data?.oneof,
    lines: ["Changed:", "  ! field Part.data: any value, number 4, in group content is any value, number 4"],
  },
  {
    what: "a member is deprecated",
    plant: change("Task", "contextId", { deprecated: true }),
    lines: ["Changed:", "    field Task.contextId: string, number 2 is string, number 2, deprecated"],
  },
  {
    what: "a member has another name",
    plant: (facts) => {
      const { filename, ...others } = fields(facts, "Part");
      Object.assign(facts.messages, { Part: { fields: { ...others, fileName: filename } } });
    },
    lines: ["Renamed (suspected):", "  ! field Part.fileName: was perhaps filename"],
  },
  {
    what: "a message is new",
    plant: (facts) =>
      Object.assign(facts.messages, { Note: { fields: { text: { number: 1, type: "string" } } } }),
    lines: ["Added:", "    message Note: 1 members"],
    bundle: ["Added:", "    message Note: 1 members"],
  },
  {
    what: "an enum value is new",
    plant: (facts) => Object.assign(facts.enums.Role ?? {}, { ROLE_TOOL: 3 }),
    lines: ["Added:", "    enum value Role.ROLE_TOOL: number 3"],
    bundle: ["Added:", "    enum value Role.ROLE_TOOL: number 3"],
  },
  {
    what: "an enum value is gone",
    plant: (facts) => delete facts.enums.Role?.ROLE_AGENT,
    lines: ["Removed:", "  ! enum value Role.ROLE_AGENT: number 2"],
    bundle: ["Removed:", "  ! enum value Role.ROLE_AGENT: number 2"],
  },
  {
    what: "an enum value has another number",
    plant: (facts) => Object.assign(facts.enums.Role ?? {}, { ROLE_AGENT: 4 }),
    lines: ["Changed:", "  ! enum value Role.ROLE_AGENT: number 2 is number 4"],
  },
  {
    what: "a path has changed",
    plant: (facts) => Object.assign(route(facts, "ListTasks"), { path: "/tasks:list" }),
    lines: ["Added:", "    route ListTasks: GET /tasks:list", "Removed:", "  ! route ListTasks: GET /tasks"],
  },
  {
    what: "a verb has changed",
    plant: (facts) => Object.assign(route(facts, "CancelTask"), { verb: "PUT" }),
    lines: [
      "Added:",
      "    route CancelTask: PUT /tasks/{id}:cancel",
      "Removed:",
      "  ! route CancelTask: POST /tasks/{id}:cancel",
    ],
  },
  {
    what: "an answer has become a stream of another type",
    plant: (facts) =>
      Object.assign(facts.methods.GetTask ?? {}, { response: "Artifact", serverStreaming: true }),
    lines: [
      "Changed:",
      "  ! operation GetTask: signature GetTaskRequest -> Task is GetTaskRequest -> stream of Artifact",
    ],
  },
  {
    what: "an operation is gone",
    plant: (facts) => delete facts.methods.ListTasks,
    lines: ["Removed:", "  ! operation ListTasks: ListTasksRequest -> ListTasksResponse"],
  },
  {
    what: "an operation has another name",
    plant: ({ methods }) => {
      Object.assign(methods, { FindTasks: methods.ListTasks });
      delete methods.ListTasks;
    },
    lines: ["Renamed (suspected):", "  ! operation FindTasks: was perhaps ListTasks"],
  },
];

async function linesOf(content: string | object): Promise<string[]> {
  const file = await place.file("artifact", content);
  const { lines, exitCode } = await diffSchema(place.root, { file });
  const [first, ...others] = lines;
  assert.equal(first, `${file} against schema/v1.0`);
  const last = others.pop();
  assert.deepEqual([exitCode, last === "Nothing differs."], exitCode === 0 ? [0, true] : [1, false]);
  return others;
}

test("an artifact with the same facts shows no difference, as definition and as bundle", async () => {
  assert.deepEqual(await linesOf(factsAsProto(factsOf10())), []);
  assert.deepEqual(await linesOf(factsAsBundle(factsOf10())), []);
});

for (const { what, plant, lines, bundle } of planted) {
  test(`it is found in a protocol definition when ${what}`, async () => {
    const facts = factsOf10();
    plant(facts);
    assert.deepEqual(await linesOf(factsAsProto(facts)), lines);
  });
  if (bundle === undefined) continue;
  test(`it is found in the published bundle when ${what}`, async () => {
    const facts = factsOf10();
    plant(facts);
    assert.deepEqual(await linesOf(factsAsBundle(facts)), bundle);
  });
}

test("a version that is not checked in cannot be compared, nor can a file of an unknown kind", async () => {
  const proto = await place.file("a.proto", factsAsProto(factsOf10()));
  assert.deepEqual(await diffSchema(place.root, { file: proto, version: "7.0" }), {
    lines: [`${proto} cannot be compared:`, "schema/ holds no version 7.0, only 0.1, 0.3, 1.0"],
    exitCode: 2,
    report: { file: proto, reasons: ["schema/ holds no version 7.0, only 0.1, 0.3, 1.0"] },
  });
  const other = await place.file("b.proto", factsAsProto(factsOf10()).replace("a2a.v1", "a2a.v9"));
  const unfit = await diffSchema(place.root, { file: other });
  assert.deepEqual(unfit.lines.slice(1), ["schema/ holds no version that it fits, only 0.1, 0.3, 1.0"]);
  const text = await place.file("c.txt", "hello");
  assert.equal((await diffSchema(place.root, { file: text })).exitCode, 2);
});

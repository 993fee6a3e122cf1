/** What is planted, how, in the definitions of a JSON document, and what the comparison says. */
export type JsonPlant = readonly [
  what: string,
  plant: (definitions: any, document: any) => void,
  expected: string,
];

const state = (definitions: any, message = "Task Status", field = "state") =>
  definitions[message].properties[field];
const remote = { $ref: "https://example.org/Message.jsonschema.json" };

export const bundlePlants: readonly JsonPlant[] = [
  ["a member is gone", (all) => delete all.Part.properties.filename, "! field Part.filename"],
  [
    "a member is new",
    (all) => Object.assign(all.Part.properties, { note: { type: "string", default: "" } }),
    "field Part.note: string",
  ],
  ["a message is gone", (all) => delete all["Agent Provider"], "leads to no definition"],
  [
    "a message is new",
    (all) =>
      Object.assign(all, {
        Note: { title: "Note", type: "object", properties: { a: { type: "boolean", default: false } } },
      }),
    "message Note: 1 members",
  ],
  [
    "a string is a number",
    (all) => Object.assign(all.Part.properties, { filename: { type: "integer", default: 0 } }),
    "is int32",
  ],
  [
    "a value is a list",
    (all) => Object.assign(all.Part.properties, { filename: { type: "array", items: { type: "string" } } }),
    "is list of string",
  ],
  [
    "a reference leads to another type",
    (all) => Object.assign(state(all, "Task Status", "message"), { $ref: "lf.a2a.v1.Part.jsonschema.json" }),
    "is Part",
  ],
  ["presence is explicit", (all) => delete all.Part.properties.filename.default, "explicit presence"],
  [
    "a value of an enum is gone",
    (all) => [state(all), state(all, "List Tasks Request", "status")].map((copy) => copy.anyOf[1].enum.pop()),
    "! enum value TaskState.TASK_STATE_AUTH_REQUIRED",
  ],
  [
    "copies of an enum contradict each other",
    (all) => state(all).anyOf[1].enum.pop(),
    "this copy of TaskState contradicts an earlier one",
  ],
  ["an enum has no title", (all) => delete state(all).title, "an enum without a title has no name"],
  [
    "a list has a least length",
    (all) => Object.assign(all.Task.properties.history, { minItems: 1 }),
    "minItems nothing is 1",
  ],
  [
    "a list has another least length",
    (all) => Object.assign(all.Message.properties.parts, { minItems: 7 }),
    "minItems 1 is 7",
  ],
  [
    "a text has a least length",
    (all) => Object.assign(all.Part.properties.filename, { minLength: 3 }),
    "minLength nothing is 3",
  ],
  [
    "a reference leads to another place",
    (all) => Object.assign(state(all, "Task Status", "message"), remote),
    "references are not fetched",
  ],
  [
    "a reference leads nowhere",
    (all) => Object.assign(state(all, "Task Status", "message"), { $ref: "Gone.jsonschema.json" }),
    "leads to no definition",
  ],
  [
    "the version is another",
    (_, document) => Object.assign(document, { version: "v2" }),
    "of version 2, not 1.0",
  ],
  [
    "a value of an enum is new",
    (all) =>
      [state(all), state(all, "List Tasks Request", "status")].map((copy) =>
        copy.anyOf[1].enum.push("TASK_STATE_PAUSED"),
      ),
    "enum value TaskState.TASK_STATE_PAUSED",
  ],
  [
    "a list is a value",
    (all) => Object.assign(all.Task.properties, { history: { type: "string", default: "" } }),
    "! field Task.history: list of Message",
  ],
  [
    "a value is a map",
    (all) =>
      Object.assign(all.Part.properties, {
        filename: { type: "object", additionalProperties: { type: "string" } },
      }),
    "is map of string",
  ],
  [
    "references go in a circle",
    (all) => Object.assign(all, { Part: { title: "Part", $ref: "lf.a2a.v1.Part.jsonschema.json" } }),
    "Part is only a reference, to lf.a2a.v1.Part.jsonschema.json",
  ],
  [
    "it is of another protocol",
    (all) => {
      for (const name of Object.keys(all)) delete all[name];
      all.Order = { title: "Order", type: "object", properties: { id: { type: "string", default: "" } } };
    },
    "no schema of the protocol: 1 definitions",
  ],
  ["it is OpenAPI", (_, document) => Object.assign(document, { openapi: "3.1.0" }), "an OpenAPI document"],
];

export const requiredBundlePlants: readonly JsonPlant[] = [
  [
    "a member is no longer required",
    (all) => Object.assign(all.Task, { required: ["id"] }),
    "! field Task.status: TaskStatus, number 3, required is TaskStatus",
  ],
  ["a member is required", (all) => all.Task.required.push("contextId"), "is string, number 2, required"],
];

export const earlyPlants: readonly JsonPlant[] = [
  ["a member is gone", (all) => delete all.Task.properties.history, "! field Task.history"],
  [
    "a member is new",
    (all) => Object.assign(all.Task.properties, { weight: { type: "integer" } }),
    "field Task.weight: int32",
  ],
  ["a member is required", (all) => all.TaskStatus.required.push("timestamp"), "optional is required"],
  [
    "a member is no longer required",
    (all) => delete all.TaskStatus.required,
    "! field TaskStatus.state: required is optional",
  ],
  [
    "a text is a number",
    (all) => Object.assign(all.TaskStatus.properties, { timestamp: { type: "integer" } }),
    "! field TaskStatus.timestamp",
  ],
  ["a value of an enum is new", (all) => all.TaskState.enum.push("paused"), "enum value TaskState.paused"],
  ["a value of an enum is gone", (all) => all.TaskState.enum.pop(), "! enum value TaskState.unknown"],
  [
    "a list has a least length",
    (all) => Object.assign(all.Task.properties.history, { minItems: 3 }),
    "minItems nothing is 3",
  ],
  ["an alternative is gone", (all) => all.Part.anyOf.pop(), "! message Part."],
  [
    "an error has another number",
    (all) => Object.assign(all.InternalError.properties.code, { const: -32099 }),
    "! error INTERNAL_ERROR: -32603",
  ],
  [
    "an error has another text",
    (all) => Object.assign(all.InternalError.properties.message, { default: "No" }),
    '"Internal error" is "No"',
  ],
  [
    "a method has another name",
    (all) => Object.assign(all.TasksGetRequest.properties.method, { const: "tasks/read" }),
    "! operation tasks/get",
  ],
  [
    "parameters are others",
    (all) => Object.assign(all.TasksGetRequest.properties, { params: { $ref: "#/definitions/Message" } }),
    "! field",
  ],
  [
    "a reference leads to another place",
    (all) =>
      Object.assign(all.TaskStatus.properties, {
        message: { $ref: "https://example.org/a#/definitions/Message" },
      }),
    "references are not fetched",
  ],
  [
    "a list is a value",
    (all) => Object.assign(all.Task.properties, { history: { type: "string" } }),
    "! field",
  ],
  ["a message is gone", (all) => delete all.Message, "leads to no definition"],
  ["an error is gone", (all) => delete all.InternalError, "! error INTERNAL_ERROR: -32603"],
  [
    "an error is new",
    (all) =>
      Object.assign(all, {
        PausedError: {
          type: "object",
          properties: {
            code: { const: -32010, type: "integer" },
            message: { default: "No", type: "string" },
          },
        },
      }),
    "error PausedError: -32010",
  ],
  [
    "a text is one of several",
    (all) => Object.assign(all.Task.properties, { contextId: { type: "string", enum: ["a", "b"] } }),
    "! field Task.contextId",
  ],
  ["it is OpenAPI", (_, document) => Object.assign(document, { openapi: "3.1.0" }), "an OpenAPI document"],
  [
    "references go in a circle",
    (all) =>
      Object.assign(all, {
        Part: { $ref: "#/definitions/TextPart" },
        TextPart: { $ref: "#/definitions/Part" },
      }),
    "leads back to itself",
  ],
];

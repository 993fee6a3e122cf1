import { type Defect, each } from "./spoiled.js";

/** Things that agents that speak the draft of 1.1 get wrong. */
export const generationDefects: Readonly<Record<string, Defect>> = {
  "the number of a task stays what it was": {
    breaks: "GEN-01",
    protocol: "1.1-draft",
    answer: (body) => each(body, "generation", (task) => Object.assign(task, { generation: "3" })),
  },
  "updates have no number": {
    breaks: "GEN-02",
    protocol: "1.1-draft",
    text: (body) => (body.includes("Update") ? body.replace(/"generation":"\d+",?/, "") : body),
  },
  "two events have the same number": {
    breaks: "GEN-03",
    protocol: "1.1-draft",
    text: (body) => body.replace('"generation":"3"', '"generation":"2"'),
  },
  "every read with a number is held": {
    breaks: "GEN-04",
    protocol: "1.1-draft",
    responseTimeout: 0.5,
    query: (query) => query.has("currentGeneration") && query.set("currentGeneration", "99"),
    request: (params) => {
      if (params.currentGeneration) params.currentGeneration = "99";
    },
  },
  "no read is held": {
    breaks: "GEN-05",
    level: "SHOULD",
    protocol: "1.1-draft",
    query: (query) => query.delete("currentGeneration"),
    request: (params) => {
      delete params.currentGeneration;
    },
  },
  "a condition is not looked at": {
    breaks: "GEN-07",
    protocol: "1.1-draft",
    request: ({ configuration }) => {
      if (configuration) delete configuration.ifGenerationMatch;
    },
  },
  "of two messages with a condition both are taken": {
    breaks: "GEN-08",
    protocol: "1.1-draft",
    request: ({ configuration }) => {
      if (configuration) delete configuration.ifGenerationMatch;
    },
  },
  "a condition on a new task is refused": {
    breaks: "GEN-09",
    protocol: "1.1-draft",
    request: ({ message, configuration }) => {
      if (configuration?.ifGenerationMatch && !message.taskId) message.role = "ROLE_AGENT";
    },
  },
  "released callers are told numbers": {
    breaks: "GEN-13",
    protocol: "1.1-draft",
    request: (_, headers) => {
      if (headers["a2a-version"] === "1.0") headers["a2a-version"] = "1.1-draft";
    },
  },
  "a mismatch does not say the numbers": {
    breaks: "GEN-15",
    protocol: "1.1-draft",
    answer: (body) =>
      each(body, "metadata", (detail) => {
        if (detail.reason) delete detail.metadata;
      }),
  },
  "generations are numbers": {
    breaks: "GEN-17",
    protocol: "1.1-draft",
    text: (body) => body.replaceAll(/"generation":"(\d+)"/g, '"generation":$1'),
  },
  "the query of a read is dropped": {
    breaks: "GEN-18",
    protocol: "1.1-draft",
    query: (query) => query.delete("currentGeneration"),
  },
  "a read of a task that has ended is another one": {
    breaks: "GEN-06",
    level: "AMBIGUOUS",
    protocol: "1.1-draft",
    query: (query) => query.has("currentGeneration") && query.set("historyLength", "0"),
    request: (params) => {
      if (params.currentGeneration) params.historyLength = 0;
    },
  },
};

import { test } from "node:test";
import { agent as currencyAgent } from "../../examples/currency/agent.js";
import { serveFor } from "../support/peer.js";
import { startProbe } from "../support/probe.js";
import { type Exchange, type Json, replay } from "./exchange.js";

/** The examples of the first draft's guide: one question, one with a question back, one as a stream. */

const says = (text: string): Json => ({ role: "user", parts: [{ type: "text", text }] });
const send = (id: number, params: Json, method = "tasks/send"): Json => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const result = (id: number, value: Json): Json => ({ jsonrpc: "2.0", id, result: value });
const agentSays = (text: string): Json => ({ role: "agent", parts: [{ type: "text", text }] });
const artifact = (text: string): Json => ({ name: "…", parts: [{ type: "text", text }], index: 0 });

/** Words for an agent and its answers: the currency agent's own, and commands of the probe agent with theirs. */
interface Script {
  readonly question: string;
  readonly answer: string;
  readonly vague: string;
  readonly asksBack: string;
  readonly detail: string;
  readonly detailed: string;
}

function synchronous({ question, answer }: Script): Exchange[] {
  return [
    {
      request: send(11, {
        id: "129",
        sessionId: "8f01f3d172cd4396a0e535ae8aec6687",
        acceptedOutputModes: ["text"],
        message: says(question),
      }),
      answer: result(11, {
        id: "129",
        sessionId: "8f01f3d172cd4396a0e535ae8aec6687",
        status: { state: "completed", timestamp: "…" },
        artifacts: [artifact(answer)],
      }),
    },
    {
      request: send(12, { id: "129" }, "tasks/get"),
      answer: result(12, "…"),
    },
  ];
}

function multiTurn({ vague, asksBack, detail, detailed }: Script): Exchange[] {
  return [
    {
      request: send(10, { id: "130", sessionId: "s-130", message: says(vague) }),
      answer: result(10, {
        id: "130",
        sessionId: "s-130",
        status: { state: "input-required", message: agentSays(asksBack), timestamp: "…" },
      }),
    },
    {
      request: send(11, { id: "130", sessionId: "s-130", message: says(detail) }),
      answer: result(11, {
        id: "130",
        sessionId: "s-130",
        status: { state: "completed", timestamp: "…" },
        artifacts: [artifact(detailed)],
      }),
    },
  ];
}

const currency: Script = {
  question: "How much is 10 USD in INR?",
  answer: "10 USD is 860.00 INR",
  vague: "How much is 1 USD?",
  asksBack: "Into which currency shall I convert USD?",
  detail: "CAD",
  detailed: "1 USD is 1.40 CAD",
};

const streamed: Exchange[] = [
  {
    request: send(12, { id: "131", message: says("How much is 100 EUR in JPY?") }, "tasks/sendSubscribe"),
    events: [
      result(12, {
        id: "131",
        status: { state: "working", message: agentSays("Looking up the exchange rates"), timestamp: "…" },
        final: false,
      }),
      result(12, {
        id: "131",
        status: { state: "working", message: agentSays("Processing the exchange rates"), timestamp: "…" },
        final: false,
      }),
      result(12, {
        id: "131",
        artifact: { ...artifact("100 EUR is 16704.55 JPY"), append: false, lastChunk: true },
      }),
      result(12, { id: "131", status: { state: "completed", timestamp: "…" }, final: true }),
    ],
  },
];

for (const [name, transcript] of [
  ["synchronous", synchronous(currency)],
  ["multi-turn", multiTurn(currency)],
  ["streaming", streamed],
] as const) {
  test(`the currency agent of the first draft, ${name}`, async (t) => {
    const { url } = await serveFor(t, currencyAgent, { versions: ["1.0", "0.3", "0.1"] });
    await replay(url, transcript);
  });
}

test("the same conversations with the probe agent, which speaks every version", async (t) => {
  const { url } = await startProbe(t, { VERSIONS: "1.0,0.3,0.1" });
  const probe: Script = {
    question: "task",
    answer: "done",
    vague: "ask",
    asksBack: "Which one?",
    detail: "answer CAD",
    detailed: "You chose CAD",
  };
  await replay(url, [...synchronous(probe), ...multiTurn(probe)]);
  const chunk = (text: string, more: Json = {}): Json => ({
    parts: [{ type: "text", text }],
    index: 0,
    ...more,
  });
  await replay(url, [
    {
      request: send(12, { id: "131", message: says("stream 2 8") }, "tasks/sendSubscribe"),
      events: [
        result(12, { id: "131", status: { state: "working", timestamp: "…" }, final: false }),
        result(12, { id: "131", artifact: chunk("…", { name: "…", append: false }) }),
        result(12, { id: "131", artifact: chunk("…", { append: true, lastChunk: true }) }),
        result(12, { id: "131", status: { state: "completed", timestamp: "…" }, final: true }),
      ],
    },
  ]);
  const flat = (text: string): Json => ({ role: "user", parts: [{ text }] });
  const flatSays = {
    messageId: "…",
    role: "agent",
    parts: [{ text: "echo: Hello" }],
    contextId: "$context",
    taskId: "$task",
    referenceTaskIds: [],
  };
  await replay(url, [
    {
      request: send(1, { message: flat("echo Hello") }),
      answer: result(1, {
        id: "$task",
        contextId: "$context",
        status: { state: "completed", message: flatSays, timestamp: "…" },
        artifacts: [],
        history: ["…"],
      }),
    },
    { request: send(2, { id: "$task" }, "tasks/get"), answer: result(2, "…") },
    { request: send(3, {}, "tasks/list"), answer: result(3, ["…", "…", "…", "…"]) },
    {
      request: send(4, { id: "nobody" }, "tasks/get"),
      headers: { "A2A-Version": "1.0" },
      answer: { jsonrpc: "2.0", id: 4, error: { code: -32001, message: "Task not found" } },
    },
    {
      request: send(5, { message: flat("stream 2 8") }, "tasks/sendSubscribe"),
      events: [
        {
          jsonrpc: "2.0",
          result: {
            type: "TaskStatusUpdateEvent",
            taskId: "$made",
            contextId: "…",
            status: { state: "working", timestamp: "…" },
            final: false,
          },
        },
        {
          jsonrpc: "2.0",
          result: { type: "TaskArtifactUpdateEvent", taskId: "$made", contextId: "…", artifact: "…" },
        },
        {
          jsonrpc: "2.0",
          result: {
            type: "TaskArtifactUpdateEvent",
            taskId: "$made",
            contextId: "…",
            artifact: "…",
            append: true,
            lastChunk: true,
          },
        },
        {
          jsonrpc: "2.0",
          result: {
            type: "TaskStatusUpdateEvent",
            taskId: "$made",
            contextId: "…",
            status: { state: "completed", timestamp: "…" },
            final: true,
          },
        },
      ],
    },
  ]);
});

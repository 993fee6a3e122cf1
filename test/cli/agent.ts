import {
  type AgentDefinition,
  artifact,
  authRequired,
  completed,
  dataPart,
  type Executor,
  failed,
  filePart,
  inputRequired,
  reply,
  urlPart,
  working,
} from "../../src/index.js";

/** Does what the first word of a message says, and shows everything that a command line has to print. */
const execute: Executor = async function* ({ message, text, task, signal }) {
  const [word = "", ...rest] = text.split(" ");
  if (word === "say") return reply(rest.join(" "));
  if (word === "parts") return reply(message.parts);
  yield working("begun");
  if (word === "fail") return yield failed("it broke");
  if (word === "grant") return yield authRequired("log in first");
  if (word === "ask" && task === undefined) return yield inputRequired("what?");
  if (word === "wait") {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return undefined;
  }
  const answer = artifact({ name: "answer" });
  for (const piece of rest.length > 0 ? rest : ["nothing"]) yield answer.text(`${piece}\n`);
  yield artifact({ name: "table" }).parts([
    dataPart({ rows: 2 }),
    filePart(Buffer.from("%PDF"), { filename: "../report.pdf", mediaType: "application/pdf" }),
    urlPart("https://files.example/big.zip", { filename: "big.zip" }),
  ]);
  return yield completed("done \u001b[31mred\u001b[0m");
};

/** An agent of its own, with what a test needs besides. */
export function agent(more: Partial<AgentDefinition> = {}): AgentDefinition {
  const card = { name: "Test agent", description: "Does what a test wants.", defaultInputModes: ["*/*"] };
  return { card, execute, ...more };
}

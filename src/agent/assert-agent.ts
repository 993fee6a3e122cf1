import { unknownName } from "../json/unknown-name.js";
import { handlerMethod, operations } from "../protocol/operations.js";
import { type Agent, definitionNames, type HandlerAgent } from "./define-agent.js";

/** The name of every member of an agent with a handler. */
const handlerAgentNames: Readonly<Record<keyof HandlerAgent, true>> = { card: true, handler: true };

/** Members by which an object is recognized as one agent, even if others are missing, and not as a table of agents by path. */
const agentMembers = ["card", "execute", "handler", "skills"];

/** Whether an object is meant as one agent. */
export function isOneAgent(agents: object): boolean {
  return agentMembers.some((name) => name in agents);
}

/**
 * Checks an agent that a program without types may have written.
 * @param what the agent in error messages, such as `agents["/writer"]`
 * @throws TypeError that says what is missing or wrong
 */
export function assertAgent(agent: unknown, what = "agent"): asserts agent is Agent {
  if (agent instanceof Promise)
    throw new TypeError(`${what}: a promise is not an agent: put \`await\` before it`);
  if (typeof agent !== "object" || agent === null)
    throw new TypeError(`${what}: ${kindOf(agent)} is not an agent. Use defineAgent({ card, execute })`);
  if (!("card" in agent))
    throw new TypeError(
      `${what}: the card is missing, such as card: { name: "Echo", description: "Repeats your text." }`,
    );
  if ("handler" in agent) return checkHandlerAgent(agent, what);
  if (!("execute" in agent) || typeof agent.execute !== "function") {
    const advice =
      "skills" in agent
        ? "an agent with skills must be made with defineAgent"
        : "an agent needs a function `execute`";
    throw new TypeError(`${what}: ${advice}`);
  }
  checkNames(agent, definitionNames);
}

function checkHandlerAgent(agent: { readonly handler: unknown }, what: string): void {
  const { handler } = agent;
  if (typeof handler === "function" && kindOf(handler).startsWith("the class"))
    throw new TypeError(
      `${what}: handler is ${kindOf(handler)} instead of an object: write \`new ${handler.name}()\``,
    );
  if (typeof handler !== "object" || handler === null)
    throw new TypeError(
      `${what}: handler must be an object with a method for each operation, not ${kindOf(handler)}`,
    );
  const methods = handler as Readonly<Record<string, unknown>>;
  const missing = operations.map(handlerMethod).find((name) => typeof methods[name] !== "function");
  if (missing !== undefined)
    throw new TypeError(
      `${what}: handler has no method ${missing}. Extend UnimplementedHandler of a2a-parley/bridges to refuse the operations that it does not have`,
    );
  checkNames(agent, handlerAgentNames);
}

/** Checks the names in an object literal. An instance of a class may have further members. */
function checkNames(agent: object, names: object): void {
  if (Object.getPrototypeOf(agent) !== Object.prototype) return;
  const given = Object.entries(agent).filter(([, value]) => value !== undefined);
  const unknown = unknownName(Object.fromEntries(given), names);
  if (unknown !== undefined) throw new TypeError(unknown);
}

function kindOf(value: unknown): string {
  if (typeof value !== "function") return String(value);
  const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
  return `the ${kind} ${value.name}`.trimEnd();
}

import type { AddressInfo } from "node:net";
import type { AgentCard } from "@a2a-js/sdk";
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
  type TaskStore,
  UnauthenticatedUser,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { plainCard } from "./card.js";
import { serveTarget } from "./control.js";
import { COMPLETED, executor } from "./sdk-agent.js";

/** The published SDK, used as its README and samples do it: default handler, its memory store, its Express adapter. */

const store = new InMemoryTaskStore();

/** A store on another machine: every call takes its time. */
function slow(delay: number): TaskStore {
  const wait = () => new Promise((resolve) => setTimeout(resolve, delay));
  return {
    save: (...call) => wait().then(() => store.save(...call)),
    load: (...call) => wait().then(() => store.load(...call)),
    list: (...call) => wait().then(() => store.list(...call)),
  };
}

const app = express();

await serveTarget({
  async start({ storeDelay, bodyLimit }) {
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const card = plainCard(`http://127.0.0.1:${port}`) as AgentCard;
    const requestHandler = new DefaultRequestHandler(
      card,
      storeDelay === undefined ? store : slow(storeDelay),
      executor,
    );
    if (bodyLimit !== undefined) app.use(express.json({ limit: bodyLimit }));
    app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
    app.use("/rest", restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    return { port, jsonRpc: "/", httpJson: "/rest" };
  },
  async fill(tasks, tenant) {
    const context = new ServerCallContext({ user: new UnauthenticatedUser(), tenant });
    const rest = { artifacts: [], history: [], metadata: undefined };
    for (const { id, contextId, timestamp } of tasks) {
      await store.save(
        { id, contextId, status: { state: COMPLETED, message: undefined, timestamp }, ...rest },
        context,
      );
    }
  },
});

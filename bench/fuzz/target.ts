import { artifact, completed, defineAgent, inputRequired, reply, working } from "../../src/index.js";
import { type Readings, serve, type Telemetry } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { beWatched } from "../watched-target.js";

/** The server under test. Its agent answers in every possible way, by the first letter of the message. */
const agent = defineAgent({
  card: {
    name: "Fuzzed agent",
    description: "Takes whatever comes.",
    skills: [{ id: "take", name: "Take", description: "Takes it.", tags: ["fuzz"] }],
    capabilities: { streaming: true, pushNotifications: true },
  },
  extendedCard: { description: "Takes whatever comes, and more." },
  extendedCardForAnyone: true,
  async *execute({ text, message, task }) {
    const letter = text.charCodeAt(0) % 4;
    if (letter === 1 && task === undefined) return yield reply(message.parts);
    yield working(text.slice(0, 100));
    const echo = artifact({ name: "echo" });
    yield echo.parts(message.parts);
    yield echo.text("end", { last: true });
    if (letter === 2) yield inputRequired("more?");
    else yield completed();
  },
});

let read: (() => Readings | Promise<Readings>) | undefined;

/** Only here to be asked for the gauges. */
const telemetry: Telemetry = {
  begin: (_, { parent }) => ({
    trace: parent,
    run: (body) => body(),
    annotate: () => undefined,
    end: () => undefined,
  }),
  count: () => undefined,
  time: () => undefined,
  observe(readings) {
    read = readings;
    return () => undefined;
  },
};

const store = new MemoryStore();
const server = await serve(agent, {
  store,
  telemetry,
  // Responses are judged as those of the newest version, whatever version a request names.
  versions: ["1.0"],
  // No name resolves, so that nothing leaves this machine, whatever webhooks are registered.
  push: { resolve: async () => ["127.0.0.1"] },
  limits: { requestTime: 3 },
});

beWatched(
  server.port,
  async () => {
    const readings = await read?.();
    return {
      tasks: store.size(),
      configs: store.configs(),
      waiting: store.waiting(),
      streams: readings?.["a2a.server.streams"] ?? 0,
      executions: readings?.["a2a.server.executions"] ?? 0,
      heap: process.memoryUsage().heapUsed,
      objects: {},
    };
  },
  () => server.close(0),
);

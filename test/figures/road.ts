import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { UnimplementedHandler } from "../../src/bridges/index.js";
import { type Agent, artifact, completed, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { plainCard, rpcPeer, text } from "../support/peer.js";
import { root } from "../support/root.js";

/** Each way is walked this often after one time that is not counted; the fewest files are those that belong to it. */
const WALKS = 5;

/** Notes which files run functions, by the precise coverage of V8. The files must be loaded one by one, not bundled. */
class Footprints {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The files of `src` in which a function was called since this was asked last. */
  take(): string[] {
    const files: string[] = [];
    this.#session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
      for (const { url, functions } of result) {
        if (!url.startsWith("file:") || !functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
          continue;
        const path = fileURLToPath(url)
          .slice(root.length)
          .replace(/^[\\/]/, "");
        if (path.startsWith("src")) files.push(path);
      }
    });
    return files;
  }

  close(): void {
    this.#session.disconnect();
  }
}

/** The files of `src` that run a function on each of three ways through the library. */
export async function walkRoads() {
  const prints = new Footprints();
  const roads = {
    toHandler: shortest(await walkToHandler(prints)),
    sendMessage: shortest(await walkSendMessage(prints)),
    toFrame: shortest(await walkToFrame(prints)),
  };
  prints.close();
  return roads;
}

function shortest([, ...walks]: string[][]): string[] {
  return walks.reduce((one, other) => (other.length < one.length ? other : one));
}

type Peer = ReturnType<typeof rpcPeer>;

/** Serves an agent while some work is done. */
async function serving<Result>(agent: Agent, work: (peer: Peer) => Promise<Result>): Promise<Result> {
  const server = await serve(agent, { port: 0 });
  try {
    return await work(rpcPeer(server.url));
  } finally {
    await server.close();
  }
}

/** From the socket to a hand-written handler, for a JSON-RPC request. */
function walkToHandler(prints: Footprints): Promise<string[][]> {
  const walks: string[][] = [];
  class Echo extends UnimplementedHandler {
    override async sendMessage() {
      walks.push(prints.take());
      return { message: { messageId: "1", role: "ROLE_AGENT" as const, parts: [{ text: "echo" }] } };
    }
  }
  return serving({ card: plainCard, handler: new Echo() }, async (peer) => {
    for (let walk = 0; walk <= WALKS; walk += 1) {
      prints.take();
      await peer.call("SendMessage", text("echo"));
    }
    return walks;
  });
}

/** A whole SendMessage that makes a task. */
function walkSendMessage(prints: Footprints): Promise<string[][]> {
  async function* execute() {
    yield working();
    yield artifact({ name: "result" }).text("done");
    yield completed();
  }
  return serving({ card: plainCard, execute }, async (peer) => {
    const walks: string[][] = [];
    for (let walk = 0; walk <= WALKS; walk += 1) {
      prints.take();
      await peer.call("SendMessage", text("task"));
      walks.push(prints.take());
    }
    return walks;
  });
}

/** From an executor's yield to the SSE frame that the client reads. */
function walkToFrame(prints: Footprints): Promise<string[][]> {
  let proceed: (() => void) | undefined;
  async function* execute() {
    const result = artifact({ name: "result" });
    yield working();
    for (let walk = 0; walk <= WALKS; walk += 1) {
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
      prints.take();
      yield result.text(`${walk} `);
    }
    yield completed();
  }
  return serving({ card: plainCard, execute }, async (peer) => {
    const walks: string[][] = [];
    const timer = setInterval(() => {
      // What the event before it has caused is over by then.
      proceed?.();
      proceed = undefined;
    }, 50);
    for await (const { data } of peer.stream("SendStreamingMessage", text("go"))) {
      if (data.artifactUpdate) walks.push(prints.take());
    }
    clearInterval(timer);
    return walks;
  });
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createParser } from "eventsource-parser";
import type { TestContext } from "vitest";
import { A2AError, type AgentCard } from "../../src/index.js";
import {
  type CodecVersion,
  loadVersionCodec,
  readCard,
  type VersionCodec,
} from "../../src/versions/index.js";

/** What callers of a gateway use, and what the agent that it stands in for does. */
interface Sides {
  readonly from: CodecVersion;
  readonly to: CodecVersion;
  /** The agent's origin. */
  readonly agent: string;
}

/** A gateway between two versions of the protocol, over JSON-RPC on a real port, made with the public codecs alone. */
export async function serveGateway(t: TestContext, { from, to, agent }: Sides): Promise<{ url: string }> {
  const [caller, callee] = await Promise.all([loadVersionCodec(from), loadVersionCodec(to)]);
  const card = await cardOf(agent);
  const address = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC")?.url;
  const server = createServer((request, response) => {
    const relayed = new Relay(caller, callee, address ?? "");
    const own = () => JSON.stringify(caller.writeCard(at(card, `http://${request.headers.host}`, from)));
    if (request.method === "GET") response.setHeader("Content-Type", "application/json").end(own());
    else void relayed.answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function cardOf(agent: string): Promise<AgentCard> {
  const paths = ["agent-card.json", "agent.json"];
  const answers = await Promise.all(paths.map((path) => fetch(`${agent}/.well-known/${path}`)));
  return readCard(await answers.find(({ ok }) => ok)?.json());
}

/** The card with the gateway as its only interface. */
function at(card: AgentCard, url: string, protocolVersion: CodecVersion): AgentCard {
  return { ...card, supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion }] };
}

class Relay {
  readonly #caller: VersionCodec;
  readonly #callee: VersionCodec;
  readonly #address: string;

  constructor(caller: VersionCodec, callee: VersionCodec, address: string) {
    this.#caller = caller;
    this.#callee = callee;
    this.#address = address;
  }

  async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { id, method, params } = (await json(incoming)) as { id: unknown; method: string; params: unknown };
    const envelope = (content: object): string => JSON.stringify({ jsonrpc: "2.0", id, ...content });
    try {
      const name = this.#caller.operationOf(method);
      if (name === undefined) throw new A2AError("METHOD_NOT_FOUND");
      const request = this.#caller.readRequest(name, params);
      const body = this.#callee.writeRequest(name, request);
      const response = await this.#call(this.#callee.methodOf(name) ?? "", body);
      if (name === "SendStreamingMessage" || name === "SubscribeToTask") {
        const results = this.#resultsOf(response, (error) => this.#callee.readError(name, error));
        outgoing.setHeader("Content-Type", "text/event-stream");
        const events = this.#callee.readStream(name, results, request as never);
        for await (const result of this.#caller.writeStream(name, events)) {
          outgoing.write(`data: ${envelope({ result })}\n\n`);
        }
        outgoing.end();
        return;
      }
      const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
      if (error !== undefined) throw this.#callee.readError(name, error);
      const answer = this.#callee.readResponse(name, result, request);
      const written = envelope({ result: this.#caller.writeResponse(name, answer, request) });
      outgoing.setHeader("Content-Type", "application/json").end(written);
    } catch (error) {
      const written = envelope({ error: this.#caller.writeError(A2AError.from(error)) });
      outgoing.setHeader("Content-Type", "application/json").end(written);
    }
  }

  #call(method: string, params: object): Promise<Response> {
    return fetch(this.#address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "A2A-Version": this.#callee.version,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  }

  async *#resultsOf(response: Response, failed: (error: unknown) => Error): AsyncGenerator<unknown> {
    const frames: { result?: unknown; error?: unknown }[] = [];
    const parser = createParser({ onEvent: ({ data }) => frames.push(JSON.parse(data)) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const { result, error } of frames.splice(0)) {
        if (error !== undefined) throw failed(error);
        yield result;
      }
    }
  }
}

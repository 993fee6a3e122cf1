import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";

/** What becomes of a request. `pass` has the server carry it out, and gives the response. */
export type Fault = (response: ServerResponse, pass: () => Promise<Passed>) => unknown;

interface Passed {
  readonly status: number;
  readonly body: string;
}

/** A proxy to a server of libSQL, which spoils what it is told to spoil. */
export interface FaultyProxy {
  readonly url: string;
  /** The requests that came, each with the statements in it. */
  readonly requests: string[];
  /**
   * Applies faults to the next requests with a statement like this one, one after the other; the others pass.
   * @returns resolves when the last of them has been applied
   */
  spoil(statement: RegExp, ...faults: readonly Fault[]): Promise<void>;
  /** Applies a fault to all requests; without one they pass again. */
  spoilAll(fault?: Fault): void;
  /** Resolves when so many requests with a statement like this one have come. */
  asked(statement: RegExp, count?: number): Promise<void>;
}

/** The server carries it out, and the connection breaks before the response. */
export const cutAfter: Fault = async (response, pass) => {
  await pass();
  response.destroy();
};

/** The connection breaks before the server gets the request. */
export const cutBefore: Fault = (response) => response.destroy();

/** The server carries it out, and the response never comes. */
export const swallowAfter: Fault = (_response, pass) => pass();

/** No response comes. */
export const silent: Fault = () => undefined;

/** The server carries it out, and half of the response comes. */
export const truncated: Fault = async (response, pass) => {
  const { body } = await pass();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(body.slice(0, body.length / 2));
};

/** The server carries it out, and the connection breaks in the midst of the response. */
export const cutWithin: Fault = async (response, pass) => {
  const { body } = await pass();
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
};

/** A response of a gateway, which does not pass the request on. */
export function refusal(status: number, type = "text/html", body = "<h1>Refused</h1>"): Fault {
  return (response) => response.writeHead(status, { "content-type": type }).end(body);
}

/** Starts a proxy, which is closed after the test. */
export async function faultyProxy(
  target: string,
  t: Pick<TestContext, "onTestFinished">,
): Promise<FaultyProxy> {
  const requests: string[] = [];
  const planned: { statement: RegExp; faults: Fault[]; done: () => void }[] = [];
  const awaited = new Set<() => void>();
  let forAll: Fault | undefined;
  const server = createServer(async (incoming, response) => {
    const body = await textOf(incoming);
    requests.push(body);
    for (const check of awaited) check();
    const pass = async (): Promise<Passed> => {
      const { method = "GET", url, headers } = incoming;
      const passed = await fetch(`${target}${url}`, {
        method,
        headers: {
          "content-type": headers["content-type"] ?? "",
          authorization: headers.authorization ?? "",
        },
        ...(method !== "GET" && { body }),
      });
      return { status: passed.status, body: await passed.text() };
    };
    const plan = planned.find(({ statement, faults }) => faults.length > 0 && statement.test(body));
    const fault = plan?.faults.shift() ?? forAll;
    if (fault !== undefined) await fault(response, pass);
    else {
      const passed = await pass().catch(() => undefined);
      if (passed === undefined) response.destroy();
      else response.writeHead(passed.status, { "content-type": "application/json" }).end(passed.body);
    }
    if (plan?.faults.length === 0) plan.done();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spoil: (statement, ...faults) =>
      new Promise((done) => planned.push({ statement, faults: [...faults], done })),
    spoilAll(fault) {
      forAll = fault;
    },
    asked: (statement, count = 1) =>
      new Promise((resolve) => {
        const check = () => {
          if (requests.filter((body) => statement.test(body)).length < count) return;
          awaited.delete(check);
          resolve();
        };
        awaited.add(check);
        check();
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const part of incoming) text += part;
  return text;
}

import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import type { Input } from "./inputs.js";
import type { Outcome } from "./judge.js";

const connections = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sockets with somebody who hears their errors. Node's client listens no longer when an answer is there, although a body that
 * the server does not want may still be on its way.
 */
const watched = new WeakSet<Socket>();

/** Milliseconds after which a stream is closed. Streams of tasks that wait for their caller have no end. */
const STREAM_MS = 300;

/** Sends a request unchanged, and reads the answer; of a stream, the events of a short time. */
export function send(
  port: number,
  { method, path, headers, body }: Pick<Input, "method" | "path" | "headers" | "body">,
): Promise<Outcome> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const req = request({
      port,
      host: "127.0.0.1",
      agent: connections,
      method,
      path,
      headers: { ...headers, "Content-Length": body.length },
    });
    req.on("error", (error) => reject(error));
    req.on("socket", (socket) => {
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.on("error", () => undefined);
    });
    req.on("response", (response) => {
      let text = "";
      const done = () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          time: isStream ? 0 : performance.now() - start,
        });
      };
      const isStream = response.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      const timer = isStream ? setTimeout(() => req.destroy(), STREAM_MS) : undefined;
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", done);
      response.on("error", isStream ? done : reject);
    });
    req.end(body);
  });
}

/** Closes the kept connections. */
export function hangUp(): void {
  connections.destroy();
}

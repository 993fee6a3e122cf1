import { Agent, request } from "node:http";
import type { Input } from "./inputs.js";
import type { Outcome } from "./judge.js";

const connections = new Agent({ keepAlive: true, maxSockets: 64 });

/** Streams of tasks that wait for their caller have no end: they are left after this time. */
const STREAM_MS = 300;

/** Sends a request as it is, and reads the answer; of a stream what comes within a short time. */
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

/** Closes the connections that are kept. */
export function hangUp(): void {
  connections.destroy();
}

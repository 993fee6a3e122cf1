import { connect, type Socket } from "node:net";
import type { Random } from "../random.js";

/** The answer on a connection until it is closed, or until nothing arrives for a while. */
function exchange(port: number, write: (socket: Socket) => void, patience = 10_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const timer = setTimeout(() => socket.destroy(), patience);
    socket.on("connect", () => write(socket));
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

const head = "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n";
const call =
  '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}';

/** Requests that violate HTTP. The server must answer them or close the connection, and continue. */
function brokenRequests(random: Random): string[] {
  const noise = Array.from({ length: 500 }, () => String.fromCharCode(random.below(256))).join("");
  return [
    noise,
    `GET / HTTP/9.9\r\n\r\n`,
    `${head}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n${call}\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx`,
    `${head}Content-Length: -1\r\n\r\n`,
    `${head}Content-Length: 99999999999999999999\r\n\r\nx`,
    `${head}X-Large: ${"x".repeat(40_000)}\r\n\r\n`,
    `${head}${"X: y\r\n".repeat(5000)}\r\n`,
    `${head}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope`,
    `${head}X-Bad: a\0b\r\n\r\n`,
    "\r\n".repeat(1000),
    `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n`,
    `GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `${head}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n`,
    `${head}Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}`,
  ];
}

/** Sends all broken requests. Resolves when each has been answered or its connection closed. */
export async function sendBroken(port: number, random: Random): Promise<number> {
  const texts = brokenRequests(random);
  await Promise.all(texts.map((text) => exchange(port, (socket) => socket.end(Buffer.from(text, "latin1")))));
  return texts.length;
}

/**
 * Sends a body with one byte per second.
 * @returns milliseconds until the server closed the connection, and its answer
 */
export async function sendSlowly(port: number): Promise<{ time: number; answer: string }> {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const answer = await exchange(
    port,
    (socket) => {
      socket.write(`${head}Content-Length: ${call.length}\r\n\r\n`);
      let sent = 0;
      timer = setInterval(() => socket.write(call.charAt(sent++)), 1000);
    },
    60_000,
  );
  clearInterval(timer);
  return { time: performance.now() - start, answer };
}

import { operation } from "../../src/protocol/operations.js";
import { slowTexts } from "../../test/operations/slow-texts.js";
import type { Input } from "./inputs.js";

/** Nearly the default limit of all headers of a request, including the path. */
const LENGTH = 14_000;

const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };

/** Requests whose paths, queries and ids are slow for a parser with backtracking. */
export function slowInputs(): Input[] {
  const get = operation("GetTask");
  const read = (path: string): Input => ({
    ...{ binding: "HTTP+JSON", operation: get, method: "GET", headers, body: Buffer.alloc(0) },
    path: path.replace(/[^\x21-\x7e]|["\\]/g, (found) => encodeURIComponent(found)).slice(0, LENGTH),
  });
  const call = (id: unknown, task: string): Input => ({
    ...{ binding: "JSONRPC", operation: get, method: "POST", headers, path: "/" },
    body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method: "GetTask", params: { id: task } })),
  });
  return Object.values(slowTexts(LENGTH)).flatMap((text) => [
    ...["/", "/tasks/", "/v1/tasks/", "/tasks?", "/tasks?tenant=", "/tasks?A2A-Version="].map((path) =>
      read(path + text),
    ),
    call(text, "t"),
    call(text.slice(0, 256), text),
    call([text], "t"),
    call(Number(text.length), text.repeat(100)),
  ]);
}

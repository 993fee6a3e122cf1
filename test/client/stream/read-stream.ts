import assert from "node:assert/strict";
import {
  type Gap,
  gapBefore,
  type Received,
  type StreamResponse,
  type TaskStream,
} from "../../../src/client/index.js";
import { clientOf, completed, type Seen, task } from "../scripted.js";

type Handler = (request: Seen, times: number) => Response | Promise<Response>;

/** A client of an agent with one handler per method; `times` counts the calls of that method from 0. */
export async function methodsOf(
  handlers: Record<string, Handler>,
  more: Parameters<typeof clientOf>[1] = {},
) {
  const times = new Map<string, number>();
  return clientOf(
    (request) => {
      const { method } = request.json;
      const count = times.get(method) ?? 0;
      times.set(method, count + 1);
      const handler = handlers[method];
      assert.ok(handler, `${method} was not expected`);
      return handler(request, count);
    },
    { bindings: ["JSONRPC"], ...more },
  );
}

/** What a stream brought: kinds of events, with the gaps in front of them. */
export async function read(stream: TaskStream): Promise<{ events: string[]; gaps: (Gap | undefined)[] }> {
  const events: string[] = [];
  const gaps: (Gap | undefined)[] = [];
  for await (const event of stream) {
    events.push(kindOf(event));
    if (gapBefore(event)) gaps.push(gapBefore(event));
  }
  return { events, gaps };
}

function kindOf({ artifactUpdate, statusUpdate, ...rest }: Received<StreamResponse>): string {
  if (artifactUpdate) return String(artifactUpdate.artifact.parts[0]?.text);
  return statusUpdate ? String(statusUpdate.status.state) : Object.keys(rest).join();
}

/** The task with an artifact of these chunks. */
export const withChunks = (...texts: string[]) => ({
  ...task,
  ...(texts.length > 0 && { artifacts: [{ artifactId: "a", parts: texts.map((text) => ({ text })) }] }),
});

/** The same, completed. */
export const ended = (...texts: string[]) => ({ ...withChunks(...texts), status: completed });

import type { TestContext } from "vitest";
import { type AgentDefinition, type CardInput, completed, type Logger, working } from "../../src/index.js";
import type { AuthOptions, Denial, ServeOptions } from "../../src/server/index.js";
import { type Answer, type Peer, serveFor } from "../support/peer.js";

/** One line of a log. */
export interface Line {
  readonly level: string;
  readonly facts: Record<string, unknown>;
  readonly text: string;
}

/** A logger that remembers what it was told. */
export function recorder() {
  const lines: Line[] = [];
  const note = (level: string) => (facts: object, text: string) => {
    lines.push({ level, facts: { ...facts }, text });
  };
  const logger: Logger = {
    debug: note("debug"),
    info: note("info"),
    warn: note("warn"),
    error: note("error"),
  };
  return { lines, logger };
}

/** Serves an agent that tells, as its artifact, who called it. */
export async function serveGuarded(
  t: TestContext,
  card: CardInput,
  auth: AuthOptions,
  more: { readonly agent?: Partial<AgentDefinition>; readonly options?: ServeOptions } = {},
) {
  const { lines, logger } = recorder();
  const denials: Denial[] = [];
  const server = await serveFor(
    t,
    {
      card,
      async *execute({ call: { principal } }) {
        yield working();
        yield {
          artifactUpdate: { artifact: { artifactId: "caller", parts: [{ data: { ...principal } }] } },
        };
        yield completed();
      },
      ...more.agent,
    },
    { logger, auth: { audit: (denial) => denials.push(denial), ...auth }, ...more.options },
  );
  return { ...server, peers: [server.rpc, server.rest], lines, denials };
}

let count = 0;

/** Sends a message; the principal that the executor was told, and the answer. */
export async function whoAmI(peer: Peer, headers: Record<string, string> = {}) {
  count += 1;
  const message = { messageId: `m${count}`, role: "ROLE_USER", parts: [{ text: "who" }] };
  const answer: Answer = await peer.call("SendMessage", { message }, headers);
  return { ...answer, principal: answer.result?.task.artifacts[0].parts[0].data };
}

/** HTTP Basic credentials. */
export function basic(user: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

/** A bearer token. */
export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

import { connect } from "../../../../client/connect.js";
import { handlerMethod, operation } from "../../../../protocol/operations.js";
import type { CallPlan } from "./call-run.js";

/** A request as it would leave. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

class Written extends Error {
  readonly request: WrittenRequest;

  constructor(request: WrittenRequest) {
    super("The request is not sent");
    this.request = request;
  }
}

/**
 * Writes the request of a call without sending it, by the client itself. It has no credentials.
 * @throws ClientError for a request that cannot be written
 */
export async function writtenRequest({
  operation: name,
  request,
  card,
  entry,
}: CallPlan): Promise<WrittenRequest> {
  const client = await connect({ ...card, supportedInterfaces: [entry] }, { fetch: neverSent, ...quiet });
  const method = client[handlerMethod(operation(name)) as "getTask"].bind(client) as (
    request: object,
  ) => Promise<unknown> | AsyncIterable<unknown>;
  try {
    const call = method(request);
    if (operation(name).streaming) for await (const _ of call as AsyncIterable<unknown>) break;
    else await call;
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof Written) return cause.request;
    throw error;
  }
  throw new Error("The request was not written");
}

/** Options of a client that does nothing by itself. */
const quiet = { localChecks: false, retry: false, resume: false } as const;

const neverSent: typeof fetch = (input, init) => {
  const { method, url, headers } = new Request(input, init);
  const body = typeof init?.body === "string" ? init.body : undefined;
  return Promise.reject(new Written({ method, url, headers: [...headers] as [string, string][], body }));
};

/** A word of a shell, quoted if it needs to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A request as a call of curl. Streams are shown as they arrive. */
export function curlOf({ method, url, headers, body }: WrittenRequest, isStream: boolean): string {
  const words = [
    `curl${isStream ? " --no-buffer" : ""} -X ${method} ${shellWord(url)}`,
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return words.join(" \\\n  ");
}

/** A call as a program with Parley's client. */
export function typeScriptOf({ operation: name, request, entry }: CallPlan, agent: string): string {
  const { streaming } = operation(name);
  const method = handlerMethod(operation(name));
  const argument = JSON.stringify(request, undefined, 2);
  const options = `{ bindings: [${JSON.stringify(entry.protocolBinding)}], versions: [${JSON.stringify(entry.protocolVersion)}] }`;
  const call = `client.${method}(${argument})`;
  return [
    'import { connect } from "a2a-parley/client";',
    "",
    `const client = await connect(${JSON.stringify(agent)}, ${options});`,
    streaming
      ? `for await (const event of ${call}) {\n  console.log(event);\n}`
      : `console.log(await ${call});`,
    "",
  ].join("\n");
}

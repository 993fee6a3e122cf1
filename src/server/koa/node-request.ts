import type { ServerResponse } from "node:http";
import type { Context } from "koa";
import type { ClientCertificate } from "../../auth/incoming-request.js";
import { anonymous, type Principal } from "../../protocol/call-context.js";
import type { HostRequest } from "../host.js";
import type { Mount } from "../mount.js";
import { addressOf } from "./caller-address.js";
import { certificateOf } from "./client-certificate.js";
import { OutgoingAnswer } from "./outgoing-answer.js";
import type { AgentServer } from "./site.js";

/** A request of Node's HTTP server as the bindings see it. */
export class NodeRequest implements HostRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HostRequest["headers"];
  principal: Principal = anonymous;
  /** Filled in once it was read. */
  body: string | undefined = undefined;
  readonly #ctx: Context;
  readonly #site: AgentServer;
  readonly #mount: Mount;
  #controller: AbortController | undefined;
  #answer: OutgoingAnswer | undefined;

  /** @param path below the mount of the binding */
  constructor(ctx: Context, path: string, site: AgentServer, mount: Mount) {
    this.method = ctx.method;
    this.path = path;
    this.query = ctx.querystring;
    this.headers = ctx.req.headers;
    this.#ctx = ctx;
    this.#site = site;
    this.#mount = mount;
  }

  get address(): string | undefined {
    return addressOf(this.#ctx.req, this.#site.settings.trustProxy);
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#ctx.req.socket);
  }

  valuesOf(name: string): readonly string[] {
    return this.#ctx.req.headersDistinct[name] ?? [];
  }

  /** Path of the agent on the server. */
  get agent(): string {
    return this.#mount.prefix;
  }

  get agentUrl(): string {
    return this.#mount.urlAt(this.#site.urlFor(this.#ctx));
  }

  /** Made when first asked for: a signal costs a listener on the connection, and plain calls need none. */
  get signal(): AbortSignal {
    this.#controller ??= abortWhenCutOff(this.#ctx.res);
    return this.#controller.signal;
  }

  /** The answer to the request. */
  get room(): OutgoingAnswer {
    this.#answer ??= new OutgoingAnswer(this.#site.outgoing, this, this.#ctx.res);
    return this.#answer;
  }

  whileSilent(due: () => void): () => void {
    return this.#site.silentStreams.add(this.#ctx.res, due);
  }

  /** Ends what the caller was waiting for although the connection stands. */
  abort(): void {
    this.#controller?.abort();
  }
}

/** Aborts when the connection goes away before the answer is complete. */
function abortWhenCutOff(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const closed = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) closed();
  else response.once("close", closed);
  return controller;
}

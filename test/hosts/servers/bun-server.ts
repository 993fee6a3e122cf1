import process from "node:process";
import { createHandler } from "a2a-parley/fetch";
import { AT, storedProbeFor } from "./probe.js";

/** The agent on Bun: prints the port that it listens on. */
interface Server {
  readonly port: number;
  requestIP(request: Request): { readonly address: string } | null;
}
declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly idleTimeout: number;
    fetch(request: Request, server: Server): Promise<Response>;
  }): Server;
};

const { agent, options } = await storedProbeFor(process.env);
const handler = createHandler({ [AT]: agent }, options);
const { port } = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: (request, server) => handler(request, { address: server.requestIP(request)?.address }),
});
process.stdout.write(`listening ${port}\n`);

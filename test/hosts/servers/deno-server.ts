import process from "node:process";
import { createHandler } from "a2a-parley/fetch";
import { AT, storedProbeFor } from "./probe.js";

/** The agent on Deno: prints the port that it listens on. */
declare const Deno: {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      onListen(address: { readonly port: number }): void;
    },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } },
    ) => Promise<Response>,
  ): unknown;
};

const { agent, options } = await storedProbeFor(process.env);
const handler = createHandler({ [AT]: agent }, options);
const onListen = ({ port }: { readonly port: number }) => void process.stdout.write(`listening ${port}\n`);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, (request, { remoteAddr }) =>
  handler(request, { address: remoteAddr.hostname }),
);

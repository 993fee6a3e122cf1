import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serveTarget } from "./control.js";

/** The part of Next.js that serves a built application. */
interface NextServer {
  prepare(): Promise<void>;
  getRequestHandler(): Parameters<typeof createServer>[1];
}

/** The production server of Next.js. Which of its two routes is measured depends on the name of the target. */
await serveTarget({
  async start({ name, folder = "" }) {
    Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
    const next: (options: object) => NextServer = createRequire(join(folder, "package.json"))("next");
    const app = next({ dev: false, dir: folder });
    await app.prepare();
    const server = createServer(app.getRequestHandler());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const path = name === "next" ? "/plain" : "/agent";
    return { port: (server.address() as AddressInfo).port, jsonRpc: path, httpJson: path };
  },
});

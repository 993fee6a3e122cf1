import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.js";
import { root } from "../support/root.js";

/** A reverse proxy that runs with one of our example files. */
export interface Proxy {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** How a kind of proxy is started. */
interface Kind {
  readonly program: string;
  /** The example file, below examples/deployment. */
  readonly file: string;
  /** That for gRPC, with TLS for callers. */
  readonly grpcFile: string;
  /** Completes the file to a configuration; returns the arguments. */
  arrange(folder: string, site: string): readonly string[];
}

const kinds: readonly Kind[] = [
  {
    program: "nginx",
    file: "nginx.conf",
    grpcFile: "nginx-grpc.conf",
    arrange(folder, site) {
      const path = join(folder, "nginx.conf");
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const http = ["access_log off;", ...places, site].join("\n");
      // Workers of nginx would run as a user who may not write into the folder.
      const user = process.getuid?.() === 0 ? "user root root; " : "";
      const main = `${user}daemon off; pid ${folder}/pid; error_log stderr error;\nevents {}\n`;
      writeFileSync(path, `${main}http {\n${http}\n}\n`);
      return ["-e", "stderr", "-c", path, "-p", folder];
    },
  },
  {
    program: "caddy",
    file: "Caddyfile",
    grpcFile: "Caddyfile-grpc",
    arrange(folder, site) {
      const path = join(folder, "Caddyfile");
      writeFileSync(path, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
      return ["run", "--config", path, "--adapter", "caddyfile"];
    },
  },
];

/** Folders of programs that users other than root may not have on their path. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/** Proxies by name, and whether they are on this machine. */
export const proxies = kinds.map((kind) => ({
  ...kind,
  skip: spawnSync(kind.program, ["version"], { env: { ...process.env, PATH } }).error !== undefined,
}));

/**
 * Starts a proxy with the example file, in which the two nodes and the port are replaced.
 * @param nodes ports of the nodes
 */
export async function startProxy(kind: Kind, nodes: readonly [number, number]): Promise<Proxy> {
  const port = await freePort();
  const site = siteOf(kind.file, nodes).replace("8080", String(port));
  const proxy = await start(kind, site, port);
  await answers(proxy.url, proxy.child, proxy.said);
  return proxy;
}

/**
 * Starts a proxy with the example file for gRPC, for callers on `localhost`.
 * @param nodes ports of the nodes
 * @param certified the certificate of the proxy
 */
export async function startGrpcProxy(
  kind: Kind,
  nodes: readonly [number, number],
  { cert, key }: Readonly<Record<"cert" | "key", string>>,
): Promise<Proxy> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "parley-tls-"));
  const [certFile, keyFile] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const site = siteOf(kind.grpcFile, nodes)
    .replace("agents.example.com:8443 {", `https://localhost:8443 {\n\ttls ${certFile} ${keyFile}`)
    .replace("/etc/nginx/certificate.pem", certFile)
    .replace("/etc/nginx/key.pem", keyFile)
    .replace("8443", String(port));
  const proxy = await start(kind, site, port);
  await listens(port, proxy.child, proxy.said);
  const stop = async () => {
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...proxy, stop };
}

/** An example file with the ports of the nodes. */
function siteOf(file: string, [one, other]: readonly [number, number]): string {
  return readFileSync(join(root, "examples/deployment", file), "utf8")
    .replace(/agent-1:400\d/, `127.0.0.1:${one}`)
    .replace(/agent-2:400\d/, `127.0.0.1:${other}`);
}

interface Started extends Proxy {
  readonly child: ChildProcess;
  /** What it has written to stderr. */
  said(): string;
}

async function start(kind: Kind, site: string, port: number): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "parley-proxy-"));
  mkdirSync(join(folder, "logs"));
  const child = spawn(kind.program, kind.arrange(folder, site), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let said = "";
  child.stderr.on("data", (piece) => {
    said += piece;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    child,
    said: () => said,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when a port accepts connections. */
async function listens(port: number, child: ChildProcess, said: () => string): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended: ${said()}`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (performance.now() > until) throw new Error(`Nothing listens on ${port}: ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Resolves when something answers at a URL. */
export async function answers(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended: ${said()}`);
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > until)
        throw new Error(`Nothing answers at ${url}: ${said()}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

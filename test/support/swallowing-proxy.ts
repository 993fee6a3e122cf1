import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "vitest";

/** A TCP proxy to a PostgreSQL server that can stop to pass bytes on, as a firewall does that forgets its connections. */
export interface SwallowingProxy {
  /** The address of the database by way of the proxy. */
  readonly url: string;
  /** Connections that were accepted so far. */
  readonly accepted: number;
  /**
   * From now on no byte and no end of a connection comes through, in either direction. The connections that there are never
   * work again; new ones are accepted, and get no answer.
   */
  swallow(): void;
  /** New connections pass from now on. */
  pass(): void;
  /** Cuts all connections and takes no more. */
  close(): void;
}

/** Starts a proxy to the server of a database URL with a socket as its `host`, as {@link testServer} gives them. */
export async function swallowingProxy(
  target: string,
  t?: Pick<TestContext, "onTestFinished">,
): Promise<SwallowingProxy> {
  const { username, pathname, searchParams } = new URL(target);
  const path = `${searchParams.get("host")}/.s.PGSQL.5432`;
  const lines = new Set<{ isDead: boolean; readonly ends: readonly Socket[] }>();
  let isSwallowing = false;
  let accepted = 0;
  const server = createServer((near) => {
    accepted += 1;
    const far = connect(path);
    const line = { isDead: isSwallowing, ends: [near, far] };
    lines.add(line);
    const pipe = (from: Socket, to: Socket) => {
      from.on("data", (bytes) => line.isDead || to.write(bytes));
      from.on("error", () => undefined);
      from.on("close", () => {
        if (!line.isDead) to.destroy();
        if (line.ends.every(({ destroyed }) => destroyed)) lines.delete(line);
      });
    };
    pipe(near, far);
    pipe(far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    for (const { ends } of lines) for (const end of ends) end.destroy();
  };
  t?.onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    get accepted() {
      return accepted;
    },
    swallow() {
      isSwallowing = true;
      for (const line of lines) line.isDead = true;
    },
    pass() {
      isSwallowing = false;
    },
    close,
  };
}

import type { Socket } from "node:net";
import { failing, MisbehavingReceiver, succeeding } from "../../test/push/misbehaviours.js";
import { rpcPeer, text } from "../../test/support/peer.js";
import type { Trouble } from "./trouble.js";

const MIB = 1024 * 1024;

/** Succeeds after most of the time that a delivery has. */
const slow = {
  "answers slowly": (socket: Socket) => {
    const timer = setTimeout(() => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), 800);
    socket.resume().once("close", () => clearTimeout(timer));
  },
};

/** Webhooks that misbehave in every way: each is sent the events of one task after the other. */
export const receivers: Trouble = {
  name: "webhooks that misbehave",
  program: "bench/soak/trouble-server.ts",
  concurrency: 16,
  ceiling: { during: 64 * MIB, after: 16 * MIB },
  async open({ url }) {
    const peer = rpcPeer(url);
    const ways = Object.values({ ...failing, ...succeeding, ...slow });
    const all = await Promise.all(ways.map((way) => MisbehavingReceiver.listen(way)));
    return {
      async make(random) {
        const webhook = random.pick(all).url(random.chance(0.2) ? "https" : "http");
        const configuration = { taskPushNotificationConfig: { url: webhook } };
        await peer.call("SendMessage", text("go", { configuration }));
      },
      async check() {
        const { result } = await peer.call("SendMessage", text("plain"));
        return result.task.status.state === "TASK_STATE_COMPLETED";
      },
      async close() {
        await Promise.all(all.map((receiver) => receiver.close()));
      },
    };
  },
};

import { artifact, completed, defineAgent, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { plainCard } from "../support/peer.js";
import { tellPort } from "../support/small-heap.js";

// An agent over gRPC with the limits that a server has by default, for a small heap.

const WORD = "x".repeat(1000);

const agent = defineAgent({
  card: plainCard,
  async *execute({ text }) {
    yield working();
    const words = artifact({ name: "words" });
    if (text === "flood") for (let count = 0; count < 2000; count++) yield words.text(WORD);
    yield completed();
  },
});

const { grpcAddress = "" } = await serve(agent, { bindings: ["GRPC"], grpc: { web: true }, logger: false });
tellPort(Number(grpcAddress.split(":").at(-1)));

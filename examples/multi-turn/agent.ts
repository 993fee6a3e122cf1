import { artifact, contextMemory, defineAgent, textOf } from "a2a-parley";

/** The memory of each conversation, for an hour at most. */
const memory = contextMemory({ create: () => ({ usual: "" }), ttl: 3_600_000 });

/** Takes orders: asks for missing details, and remembers the caller's last order in this conversation. */
export const agent = defineAgent({
  card: { name: "Pizzeria", description: "Takes your order." },
  async *execute(context) {
    const { text, ask } = context;
    const guest = memory.of(context);
    if (!guest.usual || !/the usual/i.test(text)) {
      const size = textOf(yield* ask("Which size?"));
      const topping = textOf(yield* ask("And on top?"));
      guest.usual = `${size} pizza with ${topping}`;
    }
    yield artifact({ name: "order" }).text(guest.usual);
  },
});

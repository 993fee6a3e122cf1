import { artifact, completed, defineAgent, working } from "a2a-parley";

/** The agent of the README. Any A2A client can call it. */
export const agent = defineAgent({
  card: { name: "Shouter", description: "Says it louder." },
  async *execute({ text }) {
    yield working("Taking a breath");
    yield artifact({ name: "answer" }).text(text.toUpperCase());
    yield completed();
  },
});

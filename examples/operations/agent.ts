import { artifact, completed, defineAgent, working } from "a2a-parley";

/** Fails for a message without text, so that the dashboard has failed tasks to show. */
export const agent = defineAgent({
  card: { name: "Shouter", description: "Says it louder." },
  async *execute({ text }) {
    yield working("Taking a breath");
    if (text === "") throw new Error("There is nothing to say");
    yield artifact({ name: "answer" }).text(text.toUpperCase());
    yield completed();
  },
});

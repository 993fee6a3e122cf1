import { setTimeout } from "node:timers/promises";
import { artifact, completed, defineAgent, working } from "a2a-parley";

/** Tells a story word by word: every word is a chunk of one artifact, and is sent at once. */
export const agent = defineAgent({
  card: { name: "Storyteller", description: "Tells short stories about anything." },
  async *execute({ text, signal }) {
    yield working("Once upon a time");
    const words = `There was ${text}. It lived well. The end.`.match(/\S+ ?/g) ?? [];
    const story = artifact({ name: "story" });
    for (const [index, word] of words.entries()) {
      await setTimeout(5, undefined, { signal });
      yield story.text(word, { last: index === words.length - 1 });
    }
    yield completed();
  },
});

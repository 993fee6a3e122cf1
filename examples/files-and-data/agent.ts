import { artifact, bytesOf, dataOf, defineAgent, invalidParams } from "a2a-parley";

/** Counts the words of a file. The result is a JSON value, or a CSV file for callers who prefer that. */
export const agent = defineAgent({
  card: {
    name: "Word counter",
    description: "Counts words in text files.",
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["application/json", "text/csv"],
  },
  async *execute({ message, acceptedOutputModes }) {
    const file = message.parts.find((part) => part.raw !== undefined);
    if (!file) throw invalidParams("message.parts", "must contain a file");
    const [options] = dataOf(message) as { top?: number }[];

    const counts = new Map<string, number>();
    for (const [word] of new TextDecoder()
      .decode(bytesOf(file))
      .toLowerCase()
      .matchAll(/\p{L}+/gu)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, options?.top ?? 10);

    const result = artifact({ name: "words", description: `Words of ${file.filename ?? "a file"}` });
    if (acceptedOutputModes.includes("text/csv")) {
      const csv = top.map((row) => `${row.join(",")}\n`).join("");
      yield result.file(new TextEncoder().encode(csv), { filename: "words.csv", mediaType: "text/csv" });
    } else {
      yield result.data(Object.fromEntries(top));
    }
  },
});

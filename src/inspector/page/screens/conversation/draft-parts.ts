import type { Part } from "../../../../protocol/model.js";
import { dataPart, filePart, textPart } from "../../../../protocol/parts.js";

/** Files that people drop, choose or paste, as parts of a message. A type that the browser does not know is left out. */
export function partsOfFiles(files: Iterable<File>): Promise<readonly Part[]> {
  return Promise.all(
    Array.from(files, async (file) =>
      filePart(new Uint8Array(await file.arrayBuffer()), {
        filename: file.name,
        mediaType: file.type || undefined,
      }),
    ),
  );
}

/** The files in what was dropped or pasted; none when it is text. */
export function filesIn(transfer: DataTransfer | null): readonly File[] {
  return [...(transfer?.files ?? [])];
}

/** The parts of a message: its text first, if there is any, and then what was attached. */
export function draftParts(text: string, attached: readonly Part[]): readonly Part[] {
  return text.trim() === "" ? attached : [textPart(text), ...attached];
}

/** Reads JSON that a person has typed as a data part; undefined when it is not JSON. */
export function dataPartOf(json: string): Part | undefined {
  try {
    return dataPart(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Words that are commands and not messages. */
export type TypedCommand = "new" | "cancel";

/** The command in a text; undefined for a message, also one that begins with another word after the slash. */
export function commandIn(text: string): TypedCommand | undefined {
  const word = text.trim();
  if (word === "/new") return "new";
  return word === "/cancel" ? "cancel" : undefined;
}

import type { Artifact, Message, Part } from "../../model.js";
import { bytesOf } from "../../parts.js";
import type { Page } from "./page.js";

/** Parts, none left out: text as it reads, data as JSON, files by name, type and size. */
function writeParts(page: Page, parts: readonly Part[]): void {
  let text = "";
  const flush = (): void => {
    if (text !== "") page.block("Text", text);
    text = "";
  };
  for (const part of parts) {
    if (part.text !== undefined) {
      // Text that came in chunks is one text.
      text += part.text;
      continue;
    }
    flush();
    if (part.data !== undefined) page.json("Data", part.data);
    else page.field("File", describeFile(part));
  }
  flush();
}

function describeFile(part: Part): string {
  const what = part.raw === undefined ? part.url : `${bytesOf(part).length} bytes`;
  return [part.filename ?? "unnamed", part.mediaType ?? "unknown type", what].join(", ");
}

/** A message with a label that says what it is. */
export function writeMessage(page: Page, label: string, message: Message): void {
  page.field(label, message.messageId);
  if (page.isVerbose) page.field("Role", message.role);
  writeParts(page, message.parts);
  writeMetadata(page, message.metadata);
}

/** An artifact, or a chunk of one. */
export function writeArtifact(page: Page, artifact: Artifact): void {
  const { name, artifactId, description, parts, metadata } = artifact;
  page.field("Artifact", name ? `${name} (${artifactId})` : artifactId);
  if (page.isVerbose) page.field("Description", description);
  writeParts(page, parts);
  writeMetadata(page, metadata);
}

/** Metadata, when everything is shown. */
export function writeMetadata(page: Page, metadata: object | undefined): void {
  if (page.isVerbose && metadata !== undefined && Object.keys(metadata).length > 0)
    page.json("Metadata", metadata);
}

/** Media types of downloads that no program runs when they are opened. Everything else is saved as bytes without a type. */
const safe =
  /^(?:text\/plain|application\/json|image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** The media type under which content from an agent is saved. */
export function safeType(mediaType: string | undefined): string {
  const type = (mediaType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return safe.test(type) ? type : "application/octet-stream";
}

/** A file name without a path, control characters or leading dots. */
export function safeName(name: string | undefined, otherwise: string): string {
  const last = (name ?? "").split(/[/\\]/).at(-1) ?? "";
  const clean = [...last]
    .filter((character) => character >= " " && !'<>:"|?*\u007f'.includes(character))
    .join("");
  return clean.replace(/^\.+/, "").slice(0, 120) || otherwise;
}

/** What is saved: its content, the type that the agent named, and a name. */
export interface Download {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly mediaType?: string | undefined;
  readonly name: string;
}

/** Saves content as a file. */
export function download({ content, mediaType, name }: Download): void {
  const url = URL.createObjectURL(new Blob([content], { type: safeType(mediaType) }));
  const link = document.createElement("a");
  link.href = url;
  link.download = safeName(name, "download");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

import type { Part } from "../../../protocol/model.js";

/** How a part is shown. */
export type PartKind = "markdown" | "text" | "image" | "audio" | "data" | "link" | "file" | "unknown";

/** Images that cannot contain scripts. */
const raster = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
const plain = /^(?:text\/(?!html|xml)[\w.+-]+|application\/json)$/;

/** A media type without parameters, in lower case. */
export function bareType(mediaType: string | undefined): string {
  return mediaType?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/**
 * How a part is shown. Images and sounds are played from memory; PDF, SVG and everything else is saved as a file, because it may contain
 * scripts. Text without a type is Markdown, as agents mostly write it.
 */
export function partKind(part: Part): PartKind {
  const type = bareType(part.mediaType);
  if (part.text !== undefined) return ["", "text/markdown"].includes(type) ? "markdown" : "text";
  if (part.raw !== undefined) {
    if (raster.test(type)) return "image";
    return type.startsWith("audio/") ? "audio" : "file";
  }
  if (part.url !== undefined) return "link";
  return part.data === undefined ? "unknown" : "data";
}

/** Whether the bytes of a file are text that can be shown as such. */
export function isTextFile(part: Part): boolean {
  return part.raw !== undefined && plain.test(bareType(part.mediaType));
}

/** Bytes that base64 text stands for. */
export function rawSize(raw: string): number {
  const padding = raw.endsWith("==") ? 2 : raw.endsWith("=") ? 1 : 0;
  return Math.floor((raw.length * 3) / 4) - padding;
}

const units = ["bytes", "kB", "MB", "GB"] as const;

/** A size for people: "12 bytes", "3.4 MB". */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${power === 0 && bytes === 1 ? "byte" : units[power]}`;
}

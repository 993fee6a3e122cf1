import { readFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { parseUrl } from "../net/url.js";
import type { Part } from "../protocol/model.js";
import { dataPart, filePart, textPart, urlPart } from "../protocol/parts.js";
import { fileFailure, usage } from "./failure.js";
import type { PartFlag } from "./options.js";
import type { Io } from "./output.js";

/** Media types by file extension, for files without a `--media-type`. */
const types: Readonly<Record<string, string>> = {
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".xml": "application/xml",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4",
};

type Source = Exclude<PartFlag["flag"], "media-type">;

/**
 * Builds the parts of a message, in the order of the flags. A media type belongs to the flag before it.
 * @throws Failure for no part, a misplaced media type, and files that cannot be read
 */
export async function messageParts(flags: readonly PartFlag[], io: Io): Promise<Part[]> {
  const drafts: { flag: Source; value: string; mediaType?: string }[] = [];
  for (const { flag, value } of flags) {
    if (flag !== "media-type") drafts.push({ flag, value });
    else {
      const last = drafts.at(-1);
      if (last === undefined || last.mediaType !== undefined)
        throw usage(
          "--media-type must follow the part that it describes: --file a.bin --media-type image/png",
        );
      last.mediaType = value;
    }
  }
  if (drafts.length === 0)
    throw usage("The message is empty", 'parley send "Hello", or --text, --file, --data');
  const parts: Part[] = [];
  for (const { flag, value, mediaType } of drafts)
    parts.push(await builders[flag](value, { io, ...(mediaType !== undefined && { mediaType }) }));
  return parts;
}

interface Draft {
  readonly io: Io;
  readonly mediaType?: string;
}

const builders: Readonly<Record<Source, (value: string, draft: Draft) => Part | Promise<Part>>> = {
  text: (text, { io: _, ...options }) => textPart(text, options),
  file: fileOf,
  data: dataOf,
};

/** @param place path of a file, or its http(s) URL, which is sent as such */
async function fileOf(place: string, { io, mediaType }: Draft): Promise<Part> {
  const isUrl = /^https?:\/\//i.test(place) && parseUrl(place) !== undefined;
  const name = basename(isUrl ? new URL(place).pathname : place);
  const type = mediaType ?? types[extname(name).toLowerCase()];
  const options = { ...(name !== "" && { filename: name }), ...(type !== undefined && { mediaType: type }) };
  if (isUrl) return urlPart(place, options);
  const bytes = await readFile(resolve(io.folder, place)).catch((cause: unknown) => {
    throw fileFailure(`${place} cannot be read`, cause);
  });
  return filePart(bytes, options);
}

async function dataOf(place: string, { io, ...options }: Draft): Promise<Part> {
  if (/^\s*[{["]/.test(place))
    throw usage(
      `--data takes the name of a file with JSON, not JSON itself: ${place}`,
      "echo '…' | parley send --data -",
    );
  const text =
    place === "-"
      ? await io.readInput()
      : await readFile(resolve(io.folder, place), "utf8").catch((cause: unknown) => {
          throw fileFailure(`${place} cannot be read`, cause);
        });
  try {
    return dataPart(JSON.parse(text), options);
  } catch (cause) {
    throw fileFailure(`${place === "-" ? "standard input" : place} is not JSON`, cause);
  }
}

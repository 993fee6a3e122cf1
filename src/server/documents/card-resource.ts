import { runtime } from "#runtime";
import { type CardKey, signCard } from "../../card/sign-card.js";
import { BoundedMap } from "../../collections/bounded-map.js";
import { A2AError } from "../../protocol/errors.js";
import type { AgentCard } from "../../protocol/model.js";
import type { Codec } from "../../versions/codec.js";
import { hybridCard } from "../../versions/hybrid-card.js";
import { readVersion } from "../../versions/version.js";
import type { HostRequest } from "../host.js";

/** A card as bytes of JSON. */
export interface CardDocument {
  readonly bytes: Uint8Array;
  /** A strong tag, computed from the bytes: equal bytes have the same tag on every node. */
  readonly etag: string;
}

/** The response to a request for a card. */
export interface CardReply {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** The card. It is not sent with status 304. */
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Maximum number of cached cards. They differ by version and by the URL of the request, whose host callers can invent. */
const MAX_DOCUMENTS = 32;

/** The data of a card resource. */
export interface CardResourceParts {
  /** Returns the card for the URL at which callers reach the agent. */
  readonly cardAt: (url: string) => AgentCard;
  /** The codecs of the served versions, the newest first. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** Paths below the agent at which clients of these versions look for the card. May contain duplicates. */
  readonly paths: readonly string[];
  readonly keys: readonly CardKey[];
  /** Seconds for which the card may be cached. */
  readonly maxAge: number;
  /** Time of the last change, for `Last-Modified`. */
  readonly since: Date;
}

/** The public card of an agent as an HTTP resource with validators (§8.2, §8.6). */
export class CardResource {
  readonly #parts: CardResourceParts;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #documents = new BoundedMap<string, Promise<CardDocument | undefined>>(MAX_DOCUMENTS);

  constructor(parts: CardResourceParts) {
    this.#parts = parts;
    this.#headers = {
      "Content-Type": "application/json",
      "Cache-Control": `public, max-age=${parts.maxAge}`,
      "Last-Modified": parts.since.toUTCString(),
      // The same URL returns the card in the shape of the requested version.
      Vary: "A2A-Version",
    };
  }

  /** Paths below the agent at which its card is served. */
  get paths(): readonly string[] {
    return [...new Set(this.#parts.paths)];
  }

  /**
   * The response to GET and HEAD: status 304 if the request is conditional and its copy is current. A request for a version that is not
   * served gets the card as well.
   * @throws A2AError METHOD_NOT_FOUND when the card lists no interface of the versions that have this path
   * @throws Error when a key cannot sign
   */
  async answer(headers: HostRequest["headers"], url: string, path: string): Promise<CardReply> {
    const version = readVersion(String(headers["a2a-version"] ?? ""));
    const document = await this.document(url, this.#codecsFor(path, version));
    if (document === undefined) throw new A2AError("METHOD_NOT_FOUND", "The agent has no card of this kind");
    const { bytes, etag } = document;
    const isCurrent = isCopyCurrent(headers, { etag, modified: this.#parts.since });
    return { status: isCurrent ? 304 : 200, headers: { ...this.#headers, ETag: etag }, bytes };
  }

  #codecsFor(path: string, version: string | undefined): readonly Codec[] {
    const here = [...this.#parts.codecs.values()].filter(({ cardPaths }) => cardPaths.includes(path));
    const named = here.filter(
      (codec) => codec.version === version || codec.answersTo.includes(version ?? ""),
    );
    return named.length > 0 ? named.slice(0, 1) : here;
  }

  /**
   * The card for a server that is reached at a URL. The latest cards are cached.
   * @param codecs of the versions whose shape the card has, the newest first
   * @returns undefined when the card lists no interface of these versions
   * @throws Error when a key cannot sign
   */
  document(
    url: string,
    codecs: readonly Codec[] = [...this.#parts.codecs.values()],
  ): Promise<CardDocument | undefined> {
    const key = JSON.stringify([url, ...codecs.map(({ version }) => version)]);
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const made = this.#make(url, codecs);
    made.catch(() => this.#documents.delete(key));
    this.#documents.set(key, made);
    return made;
  }

  async #make(url: string, codecs: readonly Codec[]): Promise<CardDocument | undefined> {
    const { cardAt, keys } = this.#parts;
    const card = cardAt(url);
    const shown = hybridCard(card, codecs);
    if (shown === undefined) return undefined;
    const bytes = encoder.encode(JSON.stringify(keys.length > 0 ? await signCard(card, keys, shown) : shown));
    return { bytes, etag: `"${runtime.toBase64Url(runtime.sha256(bytes))}"` };
  }
}

/** The validators of a document (RFC 9110 §8.8). */
interface Validators {
  readonly etag: string;
  readonly modified: Date;
}

/**
 * Whether the copy that a conditional GET names is current (RFC 9110 §13.2.2). If `If-None-Match` is given, it alone decides, with a weak
 * comparison of tags. `Cache-Control: no-cache` in a request is for caches, so the server ignores it; Node's `fetch` sends it with every
 * condition.
 */
function isCopyCurrent(headers: HostRequest["headers"], { etag, modified }: Validators): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined)
    return String(tags)
      .split(",")
      .some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
  const since = Date.parse(String(headers["if-modified-since"] ?? ""));
  // The precision of the header is one second.
  return since >= Math.floor(modified.getTime() / 1000) * 1000;
}

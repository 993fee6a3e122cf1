import { runtime } from "#runtime";
import { type CardKey, signCard } from "../../card/sign-card.js";
import { BoundedMap } from "../../collections/bounded-map.js";
import { A2AError } from "../../protocol/errors.js";
import type { AgentCard } from "../../protocol/model.js";
import type { Codec } from "../../versions/codec.js";
import { hybridCard } from "../../versions/hybrid-card.js";
import { readVersion } from "../../versions/version.js";
import type { HostRequest } from "../host.js";

/** A card as it is sent. */
export interface CardDocument {
  readonly bytes: Uint8Array;
  /** Strong: the same bytes have the same tag, on every node that serves them. */
  readonly etag: string;
}

/** The answer to a request for a card. */
export interface CardReply {
  /** 304 sends no body. */
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Cards differ by the URL that callers use and by version; callers that make up hosts must not fill the memory. */
const MAX_DOCUMENTS = 32;

/** What a card resource is made of. */
export interface CardResourceParts {
  /** The card for an agent that is reached at a URL. */
  readonly cardAt: (url: string) => AgentCard;
  /** The versions that are served, the newest first. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** Paths below the agent at which these versions look for it; one may be there twice. */
  readonly paths: readonly string[];
  readonly keys: readonly CardKey[];
  /** Seconds. */
  readonly maxAge: number;
  /** Time since which the card has been as it is. */
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
      // Callers who name a version get the card in its shape from the same URL.
      Vary: "A2A-Version",
    };
  }

  /** Paths below the agent at which its card is. */
  get paths(): readonly string[] {
    return [...new Set(this.#parts.paths)];
  }

  /**
   * The answer to GET and HEAD: 304 to a conditional request whose copy is current. A version that is not served is no reason to
   * refuse the card.
   * @throws A2AError METHOD_NOT_FOUND when the card names no interface for callers who look here
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
   * The card for a server that is reached at a URL, made once.
   * @param codecs the versions in whose shape it is, the newest first
   * @throws TypeError when a key cannot sign
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

/** What a server says about a version of a document. */
interface Validators {
  readonly etag: string;
  readonly modified: Date;
}

/**
 * Whether the copy that a conditional GET names is current (RFC 9110 §13.2.2): `If-None-Match` decides alone where it
 * is given, and tags are compared weakly. `Cache-Control: no-cache` of a request asks the caches on the way not to answer by
 * themselves. The server that owns the document ignores it, because Node's `fetch` sends it with every condition.
 */
function isCopyCurrent(headers: HostRequest["headers"], { etag, modified }: Validators): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined)
    return String(tags)
      .split(",")
      .some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
  const since = Date.parse(String(headers["if-modified-since"] ?? ""));
  // The header has whole seconds.
  return since >= Math.floor(modified.getTime() / 1000) * 1000;
}

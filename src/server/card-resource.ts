import { createHash } from "node:crypto";
import type { Context } from "koa";
import { type CardKey, signCard } from "../card/sign-card.js";
import { A2AError } from "../protocol/errors.js";
import type { AgentCard } from "../protocol/model.js";
import type { Codec } from "../versions/codec.js";
import { hybridCard } from "../versions/hybrid-card.js";
import { readVersion } from "../versions/version.js";
import { isCopyGood } from "./conditional.js";
import { sendBytes } from "./send.js";

/** A card as it is sent. */
export interface CardDocument {
  readonly bytes: Buffer;
  /** Strong: the same bytes have the same tag, on every node that serves them (DISC-08). */
  readonly etag: string;
}

/** Cards differ by the URL that callers use and by version; a caller who makes up hosts must not fill the memory. */
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
  /** When this card came into the world. */
  readonly since: Date;
}

/** The public card of an agent as an HTTP resource with validators (§8.2, §8.6). */
export class CardResource {
  readonly #parts: CardResourceParts;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #documents = new Map<string, Promise<CardDocument | undefined>>();

  constructor(parts: CardResourceParts) {
    this.#parts = parts;
    this.#headers = {
      "Content-Type": "application/json",
      "Cache-Control": `public, max-age=${parts.maxAge}`,
      "Last-Modified": parts.since.toUTCString(),
      // Callers who name a version get the card in its shape from the same URL (DISC-11).
      Vary: "A2A-Version",
    };
  }

  /** Paths below the agent at which its card is. */
  get paths(): readonly string[] {
    return [...new Set(this.#parts.paths)];
  }

  /**
   * Answers GET and HEAD, conditional ones with 304 when the caller's copy is good (DISC-10). A version that is not served is no
   * reason to refuse the card (VER-16).
   * @throws A2AError METHOD_NOT_FOUND when the card names no interface for callers who look here
   */
  async answer(ctx: Context, url: string, path: string): Promise<void> {
    const version = readVersion(ctx.get("A2A-Version"));
    const document = await this.document(url, this.#codecsFor(path, version));
    if (document === undefined) throw new A2AError("METHOD_NOT_FOUND", "The agent has no card of this kind");
    const { bytes, etag } = document;
    sendBytes(ctx, { status: 200, headers: { ...this.#headers, ETag: etag } }, bytes);
    if (isCopyGood(ctx.req.headers, { etag, modified: this.#parts.since })) ctx.status = 304;
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
    const [oldest] = this.#documents.keys();
    if (oldest !== undefined && this.#documents.size >= MAX_DOCUMENTS) this.#documents.delete(oldest);
    this.#documents.set(key, made);
    return made;
  }

  async #make(url: string, codecs: readonly Codec[]): Promise<CardDocument | undefined> {
    const { cardAt, keys } = this.#parts;
    const card = cardAt(url);
    const shown = hybridCard(card, codecs);
    if (shown === undefined) return undefined;
    const bytes = Buffer.from(JSON.stringify(keys.length > 0 ? await signCard(card, keys, shown) : shown));
    return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
  }
}

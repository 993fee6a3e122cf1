import { createHash } from "node:crypto";
import type { Context } from "koa";
import { type CardKey, signCard } from "../card/sign-card.js";
import type { AgentCard } from "../model.js";
import { isCopyGood } from "./conditional.js";
import { send } from "./send.js";

/** A card as it is sent. */
export interface CardDocument {
  readonly text: string;
  /** Strong: the same bytes have the same tag, on every node that serves them (DISC-08). */
  readonly etag: string;
}

/** Cards differ by the URL that callers use only; a caller who makes up hosts must not fill the memory. */
const MAX_DOCUMENTS = 16;

/** What a card resource is made of. */
export interface CardResourceParts {
  /** The card for an agent that is reached at a URL. */
  readonly cardAt: (url: string) => AgentCard;
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
  readonly #documents = new Map<string, Promise<CardDocument>>();

  constructor(parts: CardResourceParts) {
    this.#parts = parts;
    this.#headers = {
      "Content-Type": "application/json",
      "Cache-Control": `public, max-age=${parts.maxAge}`,
      "Last-Modified": parts.since.toUTCString(),
      // Served in one form today; callers of older versions will get theirs from the same URL (DISC-11).
      Vary: "A2A-Version",
    };
  }

  /** Answers GET and HEAD, conditional ones with 304 when the caller's copy is good (DISC-10). */
  async answer(ctx: Context, url: string): Promise<void> {
    const { text, etag } = await this.document(url);
    send(ctx, { status: 200, headers: { ...this.#headers, ETag: etag }, body: text });
    if (isCopyGood(ctx.req.headers, { etag, modified: this.#parts.since })) ctx.status = 304;
  }

  /**
   * The card for a server that is reached at a URL, made once.
   * @throws TypeError when a key cannot sign
   */
  document(url: string): Promise<CardDocument> {
    const known = this.#documents.get(url);
    if (known !== undefined) return known;
    const made = this.#make(url);
    made.catch(() => this.#documents.delete(url));
    const [oldest] = this.#documents.keys();
    if (oldest !== undefined && this.#documents.size >= MAX_DOCUMENTS) this.#documents.delete(oldest);
    this.#documents.set(url, made);
    return made;
  }

  async #make(url: string): Promise<CardDocument> {
    const { cardAt, keys } = this.#parts;
    const card = cardAt(url);
    const text = JSON.stringify(keys.length > 0 ? await signCard(card, keys) : card);
    return { text, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
  }
}

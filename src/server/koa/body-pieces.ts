/** Pieces from this length on, in bytes, are kept as they come. */
const BLOCK = 4096;

/**
 * The pieces of a body until it is complete. Small ones are copied together: Node makes a buffer of about 300 bytes for each, and a
 * sender may send pieces of one byte.
 */
export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  /** The small pieces that came last, copied one after the other. */
  #block: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    if (this.#used + piece.length > BLOCK) this.#flush();
    if (piece.length >= BLOCK) {
      this.#pieces.push(piece);
      return;
    }
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK);
    this.#used += piece.copy(this.#block, this.#used);
  }

  /**
   * All pieces in one buffer.
   * @param last a piece after those that were added
   */
  join(last?: Buffer): Buffer {
    this.#flush();
    if (last !== undefined) this.#pieces.push(last);
    return this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
  }

  #flush(): void {
    if (this.#block === undefined || this.#used === 0) return;
    const copy = Buffer.allocUnsafeSlow(this.#used);
    this.#block.copy(copy);
    this.#pieces.push(copy);
    this.#used = 0;
  }
}

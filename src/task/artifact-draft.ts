import type { Artifact, Part } from "../model.js";
import { addMetadata } from "./add-metadata.js";
import { furtherMembers } from "./further-members.js";
import { GrowingList } from "./growing-list.js";

const known: ReadonlySet<string> = new Set<keyof Artifact>([
  "artifactId",
  "name",
  "description",
  "parts",
  "metadata",
  "extensions",
]);

/** An artifact to which chunks are being appended (§4.2.2). */
export class ArtifactDraft {
  readonly #parts: GrowingList<Part>;
  #name: string | undefined;
  #description: string | undefined;
  #metadata: Artifact["metadata"];
  #ownsMetadata = false;
  #extensions: Artifact["extensions"];
  #further: Partial<Artifact> | undefined;
  readonly #artifactId: string;

  constructor(artifact: Artifact) {
    this.#artifactId = artifact.artifactId;
    this.#parts = new GrowingList(artifact.parts);
    this.#name = artifact.name;
    this.#description = artifact.description;
    this.#metadata = artifact.metadata;
    this.#extensions = artifact.extensions;
    this.#further = furtherMembers(artifact, known);
  }

  /** Adds the parts behind those there are; of the rest, what the chunk says wins over what was there (ART-02, ART-05). */
  append(chunk: Artifact): void {
    for (const part of chunk.parts) this.#parts.push(part);
    this.#name = chunk.name || this.#name;
    this.#description = chunk.description || this.#description;
    if (chunk.extensions?.length) this.#extensions = chunk.extensions;
    if (chunk.metadata !== undefined) this.#merge(chunk.metadata);
    const further = furtherMembers(chunk, known);
    if (further !== undefined) this.#further = { ...this.#further, ...further };
  }

  /** The artifact as it stands, frozen down to its list of parts. The draft is done with: a further chunk opens a new one. */
  close(): Artifact {
    const parts = this.#parts.share();
    if (this.#ownsMetadata) Object.freeze(this.#metadata);
    return Object.freeze({
      artifactId: this.#artifactId,
      ...(this.#name !== undefined && { name: this.#name }),
      ...(this.#description !== undefined && { description: this.#description }),
      parts,
      ...(this.#metadata !== undefined && { metadata: this.#metadata }),
      ...(this.#extensions !== undefined && { extensions: this.#extensions }),
      ...this.#further,
    });
  }

  #merge(metadata: { readonly [key: string]: unknown }): void {
    const own = this.#ownsMetadata && this.#metadata ? this.#metadata : { ...this.#metadata };
    addMetadata(own, metadata);
    this.#metadata = own;
    this.#ownsMetadata = true;
  }
}

/** A flag that makes a part of a message, or says more about the one before it. */
export interface PartFlag {
  readonly flag: "text" | "file" | "data" | "media-type";
  readonly value: string;
}

import { useEffect, useState } from "preact/hooks";

/** Properties of {@link BlobMedia}. */
export interface BlobMediaProps {
  readonly kind: "image" | "audio";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** For screen readers. */
  readonly name: string;
}

/** An image or a sound that is played from memory: the page permits no URL of an agent. */
export function BlobMedia({ kind, bytes, type, name }: BlobMediaProps) {
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    setBroken(false);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (url === undefined) return null;
  if (isBroken) return <span class="problem">The browser cannot show this as {type}.</span>;
  const onError = () => setBroken(true);
  // biome-ignore lint/performance/noImgElement: there is no server that could make it smaller
  if (kind === "image") return <img class="picture" src={url} alt={name} onError={onError} />;
  // biome-ignore lint/a11y/useMediaCaption: an agent sends no captions
  return <audio controls src={url} aria-label={name} onError={onError} />;
}

/** A `fetch` whose first stream is cut after a number of bytes, as on a bad network. */
export function shakyNetwork(bytes: number): typeof fetch {
  let left = bytes;
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (left <= 0 || !isStream || response.body === null) return response;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        left -= piece.length;
        if (left > 0) return controller.enqueue(piece);
        console.log("(the connection breaks)");
        throw new Error("connection reset");
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}

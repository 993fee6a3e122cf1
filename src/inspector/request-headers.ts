/**
 * Headers of a request as the client has set them. In a browser a `Request` leaves out the names that pages may not set, such as `Cookie`;
 * the local server sends them.
 */
export function requestHeaders(request: Request, init: RequestInit | undefined): Headers {
  const headers = new Headers(request.headers);
  for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
  return headers;
}

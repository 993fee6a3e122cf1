import type { Session } from "../../api.js";

/**
 * The URL at which a mounted page reaches its server's agents: same-origin, because a proxy may stand between them.
 * @throws TypeError for a URL of another server
 */
export function sameOriginUrl(url: string, { mounted }: Pick<Session, "mounted">, page: string): string {
  const { origin } = new URL(page);
  if (url.startsWith(`${origin}/`)) return url;
  const base = mounted?.url.replace(/\/+$/, "");
  if (base !== undefined && (url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`)))
    return origin + (url.slice(base.length) || "/");
  throw new TypeError(
    `This page calls the agents of its own server only. Run "parley inspect ${url}" for this one`,
  );
}

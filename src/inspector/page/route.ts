import { signal } from "@preact/signals";

/** A place in the page: a screen, and what it shows. `#/wire/12` is exchange 12 on the screen "wire". */
export interface Route {
  readonly screen: string;
  readonly rest: readonly string[];
}

/** Reads the fragment of the page's URL. */
export function readRoute(hash: string): Route {
  const [screen = "", ...rest] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  return { screen, rest };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The fragment of a place in the page. */
export function routeTo(screen: string, ...rest: readonly string[]): string {
  return `#/${[screen, ...rest].map(encodeURIComponent).join("/")}`;
}

/** Where the page is. */
export const route = signal<Route>({ screen: "", rest: [] });

/** Follows the fragment of the URL. */
export function followRoutes(): void {
  const read = () => {
    route.value = readRoute(location.hash);
  };
  addEventListener("hashchange", read);
  read();
}

/** Goes to a place in the page. */
export function goTo(screen: string, ...rest: readonly string[]): void {
  location.hash = routeTo(screen, ...rest);
}

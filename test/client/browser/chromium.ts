import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where distributions put it. */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The Chromium of this machine; undefined when there is none. */
export const executable = places.find((path) => existsSync(path));

/** Starts it without a window. Its sandbox does not work for root, and not in most containers. */
export function startChromium(more: readonly string[] = []): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", ...more];
  return chromium.launch({ ...(executable !== undefined && { executablePath: executable }), args });
}

import { spawn } from "node:child_process";

/** Programs that open a URL, by platform. */
const programs: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["explorer"],
  linux: ["xdg-open"],
};

/**
 * Shows a page in the browser of this machine.
 * @returns false if there is none: on Linux without a display, and on other platforms. A missing program is not detected.
 */
export function openInBrowser(page: URL): boolean {
  const { platform, env } = process;
  const [program, ...args] = programs[platform] ?? [];
  const hasScreen = platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (program === undefined || !hasScreen) return false;
  const child = spawn(program, [...args, page.href], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
  return true;
}

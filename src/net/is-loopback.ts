const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host name of a URL is that of the machine itself: `localhost`, `127.0.0.0/8` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

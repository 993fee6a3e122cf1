/** Names of this machine in a URL. */
export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

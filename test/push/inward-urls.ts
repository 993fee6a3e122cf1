import { networkInterfaces } from "node:os";

/** Some containers have no IPv6 at all. */
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

/** Forms of URL that all lead to a port of this machine, as an attacker would write them. */
export function inwardUrls(port: number): Record<string, string> {
  const forms = {
    loopback: `http://127.0.0.1:${port}/`,
    "another loopback address": `http://127.8.9.10:${port}/`,
    "loopback by name": `http://localhost:${port}/`,
    "a name below localhost": `http://app.localhost:${port}/`,
    "a name with a dot at its end": `http://localhost.:${port}/`,
    "IPv6 loopback": `http://[::1]:${port}/`,
    "mapped IPv4": `http://[::ffff:127.0.0.1]:${port}/`,
    "mapped IPv4 in hex": `http://[::ffff:7f00:1]:${port}/`,
    unspecified: `http://0.0.0.0:${port}/`,
    "unspecified IPv6": `http://[::]:${port}/`,
    decimal: `http://2130706433:${port}/`,
    octal: `http://0177.0.0.1:${port}/`,
    hex: `http://0x7f000001:${port}/`,
    short: `http://127.1:${port}/`,
    "full-width digits": `http://①②⑦.⓪.⓪.①:${port}/`,
  };
  return hasIpv6
    ? forms
    : Object.fromEntries(Object.entries(forms).filter(([, url]) => !/\[::1?\]/.test(url)));
}

import { isLoopback, parseUrl } from "../../net/url.js";
import type { CardCheck, CardSubject } from "../check.js";
import { assert } from "../expect.js";
import { at, excerptOf, listAt, textAt } from "../json.js";
import { Inconclusive } from "../verdict.js";

/** URLs of the card and of the interfaces. @throws Inconclusive if all of them are on this machine */
function remoteUrls({ source, peers }: CardSubject): readonly URL[] {
  const urls = [...(source ? [source.url] : []), ...peers.map(({ url }) => url)].map((url) => new URL(url));
  if (urls.every(({ hostname }) => isLoopback(hostname)))
    throw new Inconclusive("the agent is on this machine, where TLS is not needed");
  return urls;
}

/** Checks of transport security and of the URLs in the card (§7.1, §13.4). */
export const transportChecks: readonly CardCheck[] = [
  {
    ids: ["SEC-01"],
    claim: "the agent and its card are reached over TLS",
    over: "card",
    async run(subject) {
      for (const { href, protocol } of remoteUrls(subject))
        assert(protocol === "https:", `${href} is without TLS`);
    },
  },
  {
    ids: ["SEC-03"],
    claim: "answers over TLS have Strict-Transport-Security",
    over: "card",
    async run(subject) {
      remoteUrls(subject);
      const { headers } = subject.source?.received ?? {};
      assert(headers?.has("strict-transport-security") === true, "there is no Strict-Transport-Security");
    },
  },
  {
    ids: ["CARD-05"],
    claim: "every interface that the card lists in this version answers",
    over: "card",
    async run({ peers }) {
      for (const peer of peers) {
        const { status, result, error } = await peer.call("ListTasks", { pageSize: 1 });
        const found = `${peer.binding} at ${peer.url} answers HTTP ${status} without a result or an error object`;
        assert(result !== undefined || error !== undefined, found);
      }
    },
  },
  {
    ids: ["EXT-01"],
    claim: "extensions are declared by their URIs",
    over: "card",
    async run({ card }) {
      for (const extension of listAt(card, "capabilities", "extensions"))
        assert(
          parseUrl(textAt(extension, "uri")) !== undefined,
          `an extension has the uri ${excerptOf(at(extension, "uri"))}`,
        );
    },
  },
];

import { grpcUrl } from "../../client/transports/grpc/grpc-url.js";
import { decodeText } from "../../json/base64-text.js";
import { isLoopback, parseUrl } from "../../net/url.js";
import { isAgentCard } from "../../protocol/model.js";
import { readVersion } from "../../versions/version.js";
import type { CardCheck, CardSubject } from "../check.js";
import { assert, valid } from "../expect.js";
import { at, excerptOf, listAt, parsed, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const CORE = ["JSONRPC", "HTTP+JSON", "GRPC"];

function source({ source }: CardSubject) {
  if (source === undefined) throw new Inconclusive("the card was not fetched from the agent");
  return source;
}

const interfaces = ({ card }: CardSubject) => listAt(card, "supportedInterfaces");
const schemes = ({ card }: CardSubject): [string, Unchecked][] =>
  Object.entries(Object(at(card, "securitySchemes")));

function signatures({ card }: CardSubject): readonly Unchecked[] {
  const list = listAt(card, "signatures");
  if (list.length === 0) throw new Inconclusive("the card is not signed");
  return list;
}

function header(signature: Unchecked): Unchecked {
  return parsed(decodeText(textAt(signature, "protected")));
}

/** Checks of the card and its discovery (§8). */
export const cardChecks: readonly CardCheck[] = [
  {
    ids: ["DISC-01", "DISC-02"],
    claim: "a plain GET fetches the card",
    over: "card",
    async run(subject) {
      const { status, body } = source(subject).received;
      assert(status === 200, `HTTP ${status}`);
      const value = parsed(body);
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      assert(isObject, "the body is not a JSON object");
    },
  },
  {
    ids: ["DISC-03"],
    claim: "the card has the media type application/json",
    over: "card",
    async run(subject) {
      const type = source(subject).received.headers.get("content-type") ?? "none";
      assert(/^application\/json\b/.test(type), `the media type is ${type}`);
    },
  },
  {
    ids: ["DISC-07"],
    claim: "the card comes with the time for which it may be cached",
    over: "card",
    async run(subject) {
      const value = source(subject).received.headers.get("cache-control") ?? "absent";
      assert(/max-age=\d+/.test(value), `Cache-Control is ${value}`);
    },
  },
  {
    ids: ["DISC-08"],
    claim: "the card has an ETag",
    over: "card",
    async run(subject) {
      assert(source(subject).received.headers.has("etag"), "there is no ETag");
    },
  },
  {
    ids: ["DISC-10"],
    claim: "a conditional request for an unchanged card gets 304 and no body",
    over: "card",
    async run(subject) {
      const { url, requestHeaders, received } = source(subject);
      const etag = received.headers.get("etag");
      if (etag === null) throw new Inconclusive("the card has no ETag");
      const headers = { ...requestHeaders, "if-none-match": etag };
      const again = await subject.wire.send({ method: "GET", url, headers });
      assert(
        again.status === 304 && again.body === "",
        `HTTP ${again.status}, ${again.body.length} characters`,
      );
    },
  },
  {
    ids: ["VER-16"],
    claim: "the card is served whatever version the request names",
    over: "card",
    async run(subject) {
      const { url } = source(subject);
      const { status } = await subject.wire.send({ method: "GET", url, headers: { "a2a-version": "99.9" } });
      assert(status === 200, `HTTP ${status}`);
    },
  },
  {
    ids: ["CARD-01", "CARD-03", "CARD-11", "CARD-15"],
    claim: "the card has every required member, each of the right type",
    over: "card",
    async run({ card }) {
      valid("AgentCard", isAgentCard, card);
    },
  },
  {
    ids: ["CARD-08"],
    claim: "the card lists at least one interface",
    over: "card",
    async run(subject) {
      assert(interfaces(subject).length > 0, "supportedInterfaces is absent or empty");
    },
  },
  {
    ids: ["CARD-04"],
    claim: "a binding is one that the protocol defines, or a URI",
    over: "card",
    async run(subject) {
      for (const entry of interfaces(subject)) {
        const name = textAt(entry, "protocolBinding");
        assert(CORE.includes(name) || parseUrl(name) !== undefined, `protocolBinding is ${excerptOf(name)}`);
      }
    },
  },
  {
    ids: ["CARD-09"],
    claim: "interfaces have absolute URLs, with https unless they are on this machine",
    over: "card",
    async run(subject) {
      for (const entry of interfaces(subject)) {
        const text = textAt(entry, "url");
        // A gRPC interface may have an address without a scheme.
        const isGrpc = textAt(entry, "protocolBinding").toUpperCase() === "GRPC";
        const url = (isGrpc ? grpcUrl(text)?.href : undefined) ?? text;
        assert(parseUrl(url) !== undefined, `${excerptOf(text)} is not absolute`);
        const { protocol, hostname } = new URL(url);
        assert(protocol === "https:" || isLoopback(hostname), `${url} is not encrypted`);
      }
    },
  },
  {
    ids: ["CARD-10", "VER-02"],
    claim: "protocol versions have the form Major.Minor, without a patch number",
    over: "card",
    async run(subject) {
      for (const entry of interfaces(subject)) {
        const version = textAt(entry, "protocolVersion");
        assert(readVersion(version) === version, `protocolVersion is ${excerptOf(version)}`);
      }
    },
  },
  {
    ids: ["CARD-14"],
    claim: "security requirements have the form of the protocol",
    over: "card",
    async run({ card }) {
      assert(at(card, "security") === undefined, 'the card has the older member "security"');
      for (const entry of listAt(card, "securityRequirements")) {
        const names = Object.keys(Object(entry)).filter((name) => name !== "schemes");
        assert(names.length === 0, `a requirement has ${names.join(", ")} besides schemes`);
      }
    },
  },
  {
    ids: ["CARD-16"],
    claim: "security requirements name schemes that the card describes",
    over: "card",
    async run(subject) {
      const known = schemes(subject).map(([name]) => name);
      const named = listAt(subject.card, "securityRequirements").flatMap((entry) =>
        Object.keys(Object(at(entry, "schemes"))),
      );
      if (named.length === 0) throw new Inconclusive("the card has no security requirements");
      for (const name of named) assert(known.includes(name), `there is no scheme ${excerptOf(name)}`);
    },
  },
  {
    ids: ["CARD-20"],
    claim: "no deprecated OAuth flow is offered",
    over: "card",
    async run(subject) {
      const oauth = schemes(subject).filter(([, scheme]) => at(scheme, "oauth2SecurityScheme") !== undefined);
      if (oauth.length === 0) throw new Inconclusive("the card has no OAuth scheme");
      for (const [name, scheme] of oauth) {
        const flows = Object.keys(Object(at(scheme, "oauth2SecurityScheme", "flows")));
        assert(!flows.includes("implicit") && !flows.includes("password"), `${name}: ${flows.join(", ")}`);
      }
    },
  },
  {
    ids: ["OBJT-05", "LEG-03"],
    claim: "the card has no members of earlier versions",
    over: "card",
    async run({ card }) {
      for (const name of ["kind", "supportsAuthenticatedExtendedCard", "additionalInterfaces"]) {
        assert(at(card, name) === undefined, `the card has ${name}`);
      }
    },
  },
  {
    ids: ["SIGN-11", "SIGN-12"],
    claim: "signatures have a protected header with alg and kid",
    over: "card",
    async run(subject) {
      for (const one of signatures(subject)) {
        assert(textAt(one, "signature") !== "", "a signature is empty");
        const [alg, kid] = [textAt(header(one), "alg"), textAt(header(one), "kid")];
        assert(alg !== "" && alg !== "none" && kid !== "", `alg ${excerptOf(alg)}, kid ${excerptOf(kid)}`);
      }
    },
  },
  {
    ids: ["SIGN-13"],
    claim: "protected headers have the type JOSE",
    over: "card",
    async run(subject) {
      for (const one of signatures(subject)) {
        const type = at(header(one), "typ");
        assert(type === "JOSE", `typ is ${excerptOf(type)}`);
      }
    },
  },
];

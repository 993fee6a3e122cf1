import { readVersion, UNNAMED_VERSION } from "../../versions/version.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, result } from "../expect.js";
import { at, listAt, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const header = "a2a-version";

/** Calls ListTasks with another version header; undefined removes it. */
function listUnder({ peer }: Subject, version: string | undefined, query = {}) {
  return peer.call("ListTasks", { pageSize: 1 }, { headers: { [header]: version }, query });
}

/** A minor version that does not exist: later than the one that the agent is called in. */
function tooNew({ peer }: Subject): string {
  const [major, minor] = peer.version.split(".");
  return `${major}.${Number.parseInt(minor ?? "", 10) + 87}`;
}

/** Versions of the agent's interfaces. */
function offered({ card }: Subject): readonly (string | undefined)[] {
  return listAt(card, "supportedInterfaces").map((entry) => readVersion(textAt(entry, "protocolVersion")));
}

/** @throws Inconclusive if the agent offers the version that a request without a version means */
function withoutUnnamed(subject: Subject): void {
  if (offered(subject).includes(UNNAMED_VERSION))
    throw new Inconclusive(
      `the agent also supports ${UNNAMED_VERSION}, the version of a request that names none`,
    );
}

/** URIs of the extensions that the card requires. */
function requiredExtensions(card: Unchecked): readonly string[] {
  const extensions = listAt(card, "capabilities", "extensions");
  return extensions.filter((one) => at(one, "required") === true).map((one) => textAt(one, "uri"));
}

/** Checks of version negotiation (§3.6) and extensions (§3.2.6, §4.6). */
export const versionChecks: readonly BindingCheck[] = [
  {
    ids: ["VER-09"],
    claim: "a version that the agent does not support is refused",
    async run(subject) {
      refused(await listUnder(subject, "99.9"), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-11"],
    claim: "that refusal has the media type of other answers",
    async run(subject) {
      const { headers } = await listUnder(subject, "99.9");
      assert(!(headers.get("content-type") ?? "").includes("problem"), "it is a problem document");
    },
  },
  {
    ids: ["VER-10"],
    claim: "that refusal lists the supported versions",
    async run(subject) {
      const answer = await listUnder(subject, "99.9");
      assert(JSON.stringify(answer.value ?? "").includes(subject.peer.version), "it does not");
    },
  },
  {
    ids: ["VER-15"],
    claim: "a higher minor version is refused",
    async run(subject) {
      refused(await listUnder(subject, tooNew(subject)), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-01", "VER-14"],
    claim: "a patch number in the version is ignored",
    async run(subject) {
      const patched = `${subject.peer.version}.7`;
      if (readVersion(patched) === undefined) throw new Inconclusive("a draft has no patch numbers");
      result(await listUnder(subject, patched), "the list with a patch number");
    },
  },
  {
    ids: ["VER-14"],
    claim: "a version that is not in the form Major.Minor is refused",
    async run(subject) {
      refused(await listUnder(subject, `v${subject.peer.version}`), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-05", "SVC-02"],
    claim: "the version is read from the query, whatever the case of the parameter's name",
    async run(subject) {
      const { version } = subject.peer;
      result(await listUnder(subject, undefined, { "A2A-Version": version }), "A2A-Version in the query");
      result(await listUnder(subject, undefined, { "a2a-version": version }), "a2a-version in the query");
    },
  },
  {
    ids: ["VER-06"],
    claim: "the version in the header takes precedence over the query",
    async run(subject) {
      result(
        await listUnder(subject, subject.peer.version, { "A2A-Version": "99.9" }),
        "a request with another version in the query",
      );
    },
  },
  {
    ids: ["VER-07", "VER-12"],
    claim: `a request without a version means ${UNNAMED_VERSION}, and is refused by an agent that does not support it`,
    async run(subject) {
      withoutUnnamed(subject);
      refused(await listUnder(subject, undefined), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-07"],
    claim: "an empty version counts as no version",
    async run(subject) {
      withoutUnnamed(subject);
      refused(await listUnder(subject, ""), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["EXT-05", "EXT-07", "EXT-12"],
    claim: "an unknown extension is ignored, and not listed as active",
    async run({ peer, scenarios }) {
      const uri = "https://example.com/extensions/unheard-of/v1";
      const params = await scenarios.acceptedParams();
      const answer = await peer.call("SendMessage", params, { headers: { "a2a-extensions": uri } });
      if (answer.error?.reason === "EXTENSION_SUPPORT_REQUIRED")
        throw new Inconclusive("the agent requires an extension");
      result(answer, "the send");
      assert(!(answer.headers.get("a2a-extensions") ?? "").includes(uri), "it is listed as active");
    },
  },
  {
    ids: ["EXT-08"],
    claim: "a send without an extension that the card requires is refused",
    async run({ card, peer, scenarios }) {
      if (requiredExtensions(card).length === 0) throw new Inconclusive("the card requires no extension");
      const headers = { "a2a-extensions": undefined };
      refused(await peer.call("SendMessage", scenarios.plain(), { headers }), "EXTENSION_SUPPORT_REQUIRED");
    },
  },
  {
    ids: ["EXT-10"],
    claim: "that refusal names the missing extension",
    async run({ card, peer, scenarios }) {
      const [uri] = requiredExtensions(card);
      if (uri === undefined) throw new Inconclusive("the card requires no extension");
      const headers = { "a2a-extensions": undefined };
      const { value } = await peer.call("SendMessage", scenarios.plain(), { headers });
      assert(JSON.stringify(value).includes(uri), "it does not");
    },
  },
  {
    ids: ["EXT-04", "EXT-06"],
    claim: "an extension that is requested twice, with spaces around it, is listed as active once",
    async run({ card, peer, scenarios }) {
      const [uri] = requiredExtensions(card);
      if (uri === undefined) throw new Inconclusive("the card requires no extension");
      const headers = { "a2a-extensions": ` ${uri} ,${uri}` };
      const answer = await peer.call("SendMessage", await scenarios.acceptedParams(), { headers });
      result(answer, "the send");
      assert(
        answer.headers.get("a2a-extensions") === uri,
        `A2A-Extensions is ${answer.headers.get("a2a-extensions") ?? "absent"}`,
      );
    },
  },
];

import { readVersion, UNNAMED_VERSION } from "../../versions/version.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, result } from "../expect.js";
import { at, listAt, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const header = "a2a-version";

/** Calls ListTasks with another version header; undefined for none. */
function listUnder({ peer }: Subject, version: string | undefined, query = {}) {
  return peer.call("ListTasks", { pageSize: 1 }, { headers: { [header]: version }, query });
}

/** A minor version that does not exist: later than the one that the agent is called in. */
function tooNew({ peer }: Subject): string {
  const [major, minor] = peer.version.split(".");
  return `${major}.${Number(minor) + 87}`;
}

/** Versions of the agent's interfaces. */
function offered({ card }: Subject): readonly (string | undefined)[] {
  return listAt(card, "supportedInterfaces").map((entry) => readVersion(textAt(entry, "protocolVersion")));
}

function withoutUnnamed(subject: Subject): void {
  if (offered(subject).includes(UNNAMED_VERSION))
    throw new Inconclusive(
      `the agent also speaks ${UNNAMED_VERSION}, which a request without a version means`,
    );
}

/** URIs of the extensions that the card requires. */
function demandedBy(card: Unchecked): readonly string[] {
  const extensions = listAt(card, "capabilities", "extensions");
  return extensions.filter((one) => at(one, "required") === true).map((one) => textAt(one, "uri"));
}

/** Checks of version negotiation (§3.6) and extensions (§3.2.6, §4.6). */
export const versionChecks: readonly BindingCheck[] = [
  {
    ids: ["VER-09"],
    claim: "a version that the agent does not speak is refused",
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
    claim: "that refusal says which versions there are",
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
    claim: "a patch number and spaces around a version do not matter",
    async run(subject) {
      result(await listUnder(subject, `${subject.peer.version}.7`), "with a patch number");
    },
  },
  {
    ids: ["VER-14"],
    claim: "a version in another spelling is refused",
    async run(subject) {
      refused(await listUnder(subject, `v${subject.peer.version}`), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-05", "SVC-02"],
    claim: "the version may stand in the query, in any case",
    async run(subject) {
      const { version } = subject.peer;
      result(await listUnder(subject, undefined, { "A2A-Version": version }), "in the query");
      result(await listUnder(subject, undefined, { "a2a-version": version }), "in lower case");
    },
  },
  {
    ids: ["VER-06"],
    claim: "header before query, where they differ",
    async run(subject) {
      result(
        await listUnder(subject, subject.peer.version, { "A2A-Version": "99.9" }),
        "header before query",
      );
    },
  },
  {
    ids: ["VER-07", "VER-12"],
    claim: "a request without a version is in the oldest that had none, and refused where that is not spoken",
    async run(subject) {
      withoutUnnamed(subject);
      refused(await listUnder(subject, undefined), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["VER-07"],
    claim: "an empty version is none",
    async run(subject) {
      withoutUnnamed(subject);
      refused(await listUnder(subject, ""), "VERSION_NOT_SUPPORTED");
    },
  },
  {
    ids: ["EXT-05", "EXT-07", "EXT-12"],
    claim: "an unknown extension is ignored, and not listed as active",
    async run({ peer, stage }) {
      const uri = "https://example.com/extensions/unheard-of/v1";
      const params = await stage.acceptedParams();
      const answer = await peer.call("SendMessage", params, { headers: { "a2a-extensions": uri } });
      if (answer.error?.reason === "EXTENSION_SUPPORT_REQUIRED")
        throw new Inconclusive("the agent demands an extension");
      result(answer, "the send");
      assert(!(answer.headers.get("a2a-extensions") ?? "").includes(uri), "it is said to be active");
    },
  },
  {
    ids: ["EXT-08"],
    claim: "a send without an extension that the card demands is refused",
    async run({ card, peer, stage }) {
      if (demandedBy(card).length === 0) throw new Inconclusive("the card demands no extension");
      const headers = { "a2a-extensions": undefined };
      refused(await peer.call("SendMessage", stage.plain(), { headers }), "EXTENSION_SUPPORT_REQUIRED");
    },
  },
  {
    ids: ["EXT-10"],
    claim: "that refusal names the extension that is missing",
    async run({ card, peer, stage }) {
      const [uri] = demandedBy(card);
      if (uri === undefined) throw new Inconclusive("the card demands no extension");
      const headers = { "a2a-extensions": undefined };
      const { value } = await peer.call("SendMessage", stage.plain(), { headers });
      assert(JSON.stringify(value).includes(uri), "it does not");
    },
  },
  {
    ids: ["EXT-04", "EXT-06"],
    claim: "an extension that is asked for, twice and with spaces, is said to be active, once",
    async run({ card, peer, stage }) {
      const [uri] = demandedBy(card);
      if (uri === undefined) throw new Inconclusive("the card demands no extension");
      const headers = { "a2a-extensions": ` ${uri} ,${uri}` };
      const answer = await peer.call("SendMessage", await stage.acceptedParams(), { headers });
      result(answer, "the send");
      assert(
        answer.headers.get("a2a-extensions") === uri,
        `active is ${answer.headers.get("a2a-extensions")}`,
      );
    },
  },
];

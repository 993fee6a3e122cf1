import { useState } from "preact/hooks";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { TextField } from "../../components/field.js";
import { agentFetch } from "../../session/agent-fetch.js";
import { agentUrl } from "../../session/agent-url.js";
import { readKeys, signatureHeaders } from "./signature-keys.js";

/** The outcome of a verification. */
type Outcome = { readonly kid: string } | { readonly problem: string };

/** The signatures of a card, and their verification with keys that the person trusts. */
export function CardSignatures({ value }: { value: object }) {
  const headers = signatureHeaders(value);
  if (headers.length === 0)
    return (
      <Notice>
        The card is not signed. Anyone between you and the agent could have changed it, unless it came over
        https.
      </Notice>
    );
  return (
    <>
      {headers.map((header, index) => (
        <section key={index} class="panel">
          <h2>Signature {index + 1}</h2>
          <DataTree label={`Header of signature ${index + 1}`} value={header} />
        </section>
      ))}
      <Verification value={value} hosts={hostsOf(headers)} />
    </>
  );
}

/** Hosts of the key sets that signatures name. */
function hostsOf(headers: readonly object[]): readonly string[] {
  const urls = headers.flatMap((header) =>
    "jku" in header && typeof header.jku === "string" ? header.jku : [],
  );
  return [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).host))];
}

function Verification({ value, hosts }: { value: object; hosts: readonly string[] }) {
  const [keys, setKeys] = useState("");
  const [trusted, setTrusted] = useState<readonly string[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const verify = async () => {
    try {
      const { verifyCard } = await import("../../../../card/verify-card.js");
      const fetch = agentFetch({ agent: agentUrl.value ?? "" });
      setOutcome(await verifyCard(value, { keys: readKeys(keys), keySets: { hosts: trusted, fetch } }));
    } catch (error) {
      setOutcome({ problem: error instanceof Error ? error.message : String(error) });
    }
  };
  const toggle = (host: string) =>
    setTrusted(trusted.includes(host) ? trusted.filter((other) => other !== host) : [...trusted, host]);
  return (
    <section class="panel">
      <h2>Verify</h2>
      <p>
        A signature is verified with the public keys that you trust. The card may name a URL of keys, but only
        you can say that you trust it.
      </p>
      <TextField
        label="Public keys that you trust"
        hint="A JSON Web Key, or a key set (JWKS), as JSON."
        isLong
        value={keys}
        onValue={setKeys}
      />
      {hosts.map((host) => (
        <label key={host} class="row">
          <input type="checkbox" checked={trusted.includes(host)} onChange={() => toggle(host)} />
          Trust the keys at {host}, which the card names
        </label>
      ))}
      <div class="row">
        <Button look="primary" onClick={() => void verify()}>
          Verify the signatures
        </Button>
        {outcome !== undefined && "kid" in outcome && (
          <Badge tone="good">Valid: signed with key {outcome.kid}</Badge>
        )}
      </div>
      {outcome !== undefined && "problem" in outcome && <Notice tone="bad">{outcome.problem}</Notice>}
    </section>
  );
}

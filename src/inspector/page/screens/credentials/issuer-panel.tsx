import { useState } from "preact/hooks";
import { type IssuerEndpoints, issuerEndpoints } from "../../../../client/auth/issuer-metadata.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { TextField } from "../../components/field.js";
import { agentFetch } from "../../session/agent-fetch.js";
import { agentUrl } from "../../session/agent-url.js";
import { problemOf } from "../../session/current-agent.js";

/** Properties of an {@link IssuerPanel}. */
export interface IssuerPanelProps {
  /** URL of the issuer's metadata in the card. */
  readonly url: string;
  readonly onRead: (issuer: IssuerEndpoints) => void;
}

/** Asks an issuer of OpenID Connect which ways to sign in it has. The person sees the address before it is called. */
export function IssuerPanel({ url: named, onRead }: IssuerPanelProps) {
  const [url, setUrl] = useState(named);
  const [problem, setProblem] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const read = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setProblem(undefined);
    try {
      const issuer = await issuerEndpoints(new URL(url), {
        fetch: agentFetch({ agent: agentUrl.value ?? "" }),
        signal: new AbortController().signal,
      });
      if (issuer.tokenUrl === undefined) throw new Error("The issuer names no token URL");
      onRead(issuer);
    } catch (error) {
      setProblem(problemOf(error));
      setRunning(false);
    }
  };
  return (
    <form class="stack" onSubmit={(event) => void read(event)}>
      <p>The issuer describes the ways to sign in at this address.</p>
      <TextField
        label="Description of the issuer"
        hint="The card names it. Nothing secret is sent there."
        value={url}
        onValue={setUrl}
      />
      <div class="row">
        <Button type="submit" look="primary" disabled={isRunning || !URL.canParse(url)}>
          Read it
        </Button>
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </form>
  );
}

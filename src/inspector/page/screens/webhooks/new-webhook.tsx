import { useState } from "preact/hooks";
import type { WebhookSettings } from "../../../api.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { TextField } from "../../components/field.js";
import { problemOf } from "../../session/current-agent.js";
import { createWebhook } from "../../webhooks/webhook-list.js";

const empty = { token: "", authorization: "", keys: "", issuer: "" };

/** Makes a webhook that demands what is entered. */
export function NewWebhook() {
  const [entered, setEntered] = useState(empty);
  const [problem, setProblem] = useState<string>();
  const set = (name: keyof typeof empty) => (value: string) => setEntered({ ...entered, [name]: value });
  const isSigned = entered.keys !== "" || entered.issuer !== "";
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      await createWebhook(settingsFrom(entered));
      setEntered(empty);
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <form class="panel" onSubmit={(event) => void create(event)}>
      <h2>New webhook</h2>
      <p class="hint">Everything is optional. What you enter is required of each notification.</p>
      <div class="choices">
        <TextField
          label="Token"
          value={entered.token}
          onValue={set("token")}
          hint="The agent repeats it in a header."
        />
        <TextField
          label="Authorization header"
          value={entered.authorization}
          onValue={set("authorization")}
          placeholder="Bearer secret"
          hint="Scheme, space, credentials."
        />
        <TextField
          label="Keys of signatures"
          value={entered.keys}
          onValue={set("keys")}
          type="url"
          placeholder="http://127.0.0.1:4000/.well-known/jwks.json"
          hint="URL of the agent's key set."
        />
        <TextField
          label="Issuer of signatures"
          value={entered.issuer}
          onValue={set("issuer")}
          hint="As the agent names itself."
          problem={isSigned && entered.issuer === "" ? "Signatures are checked for an issuer" : undefined}
        />
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div>
        <Button look="primary" type="submit">
          Create webhook
        </Button>
      </div>
    </form>
  );
}

function settingsFrom({ token, authorization, keys, issuer }: typeof empty): WebhookSettings {
  return {
    ...(token !== "" && { token }),
    ...(authorization !== "" && { authorization }),
    ...((keys !== "" || issuer !== "") && { signature: { keys, issuer } }),
  };
}

import { useState } from "preact/hooks";
import type { Delivery, Verdict } from "../../../api.js";
import { Badge, type Tone } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { Dialog } from "../../components/dialog.js";
import { LongText } from "../../components/long-text.js";
import { timeText } from "../../time-text.js";
import { eventLine } from "../../timeline/happenings.js";

/** Deliveries that are shown; a webhook may have many. */
const SHOWN = 100;

const verdicts: Readonly<Record<Verdict, readonly [text: string, tone: Tone]>> = {
  valid: ["valid", "good"],
  invalid: ["wrong", "bad"],
  missing: ["missing", "bad"],
  unchecked: ["not required", "quiet"],
};

/** Calls of a webhook, the newest first. */
export function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  const [shown, show] = useState<Delivery>();
  const newest = deliveries.slice(-SHOWN).reverse();
  return (
    <>
      <section class="wide" aria-label="Deliveries">
        <table>
          <thead>
            <tr>
              {[
                "Number",
                "Event",
                "Attempt",
                "Answered",
                "Token",
                "Authorization",
                "Signature",
                "Details",
              ].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newest.map((delivery) => (
              <Row key={delivery.number} delivery={delivery} onShow={() => show(delivery)} />
            ))}
          </tbody>
        </table>
      </section>
      {deliveries.length > SHOWN && <p class="hint">The newest {SHOWN} are shown.</p>}
      {shown !== undefined && <Details delivery={shown} onClose={() => show(undefined)} />}
    </>
  );
}

function Row({ delivery, onShow }: { delivery: Delivery; onShow: () => void }) {
  const { number, generation, attempt, status, reason, token, authorization, signature } = delivery;
  return (
    <tr>
      <td>{number}</td>
      <td>
        {eventIn(delivery)} {generation !== undefined && <span class="hint">#{generation}</span>}
      </td>
      <td>{attempt === 1 ? 1 : <Badge tone="warn">{attempt} (repeated)</Badge>}</td>
      <td>
        <Badge tone={status < 300 ? "good" : "bad"}>{status}</Badge> <span class="hint">{reason}</span>
      </td>
      {[token, authorization, signature].map((verdict, index) => (
        <td key={index}>
          <Badge tone={verdicts[verdict][1]}>{verdicts[verdict][0]}</Badge>
        </td>
      ))}
      <td>
        <Button isSmall look="plain" aria-label={`Show delivery ${number}`} onClick={onShow}>
          Show
        </Button>
      </td>
    </tr>
  );
}

function eventIn({ body }: Delivery): string {
  try {
    return eventLine(JSON.parse(body));
  } catch {
    return "not JSON";
  }
}

function Details({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { number, at, method, headers, body, bytes, claims } = delivery;
  return (
    <Dialog title={`Delivery ${number}`} onClose={onClose}>
      <p>
        {method} at {timeText(at)}, {bytes.toLocaleString("en")} bytes
      </p>
      {claims !== undefined && (
        <>
          <h3>Claims of the signature</h3>
          <DataTree value={claims} label="Claims of the signature" />
        </>
      )}
      <h3>Headers</h3>
      <table>
        <tbody>
          {headers.map(([name, value], index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              <td class="mono">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Body</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <pre class="scroll" tabIndex={0}>
        <LongText text={body} />
      </pre>
    </Dialog>
  );
}

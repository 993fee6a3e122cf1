import { useState } from "preact/hooks";
import { Badge, Notice, type Tone } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { TextField } from "../../components/field.js";
import { VirtualList } from "../../components/virtual-list.js";
import { route, routeTo } from "../../route.js";
import { recorder } from "../../session/agent-fetch.js";
import { maskedUrl } from "../../wire/masked.js";
import { CLOSED, type WireExchange } from "../../wire/wire-exchange.js";
import { ExchangeDetail } from "./exchange-detail.js";

/** Height of an exchange in the list, in pixels. */
const ROW = 52;

/** Everything that went over the line since the page was opened. */
export function WireScreen() {
  const [filter, setFilter] = useState("");
  const all = recorder.exchanges.value;
  const wanted = filter.toLowerCase();
  const shown = all.filter(({ purpose, url }) => `${purpose} ${url}`.toLowerCase().includes(wanted));
  const [id] = route.value.rest;
  const chosen = id === undefined ? shown.at(-1) : all.find((exchange) => String(exchange.id) === id);
  return (
    <>
      <header class="row end">
        <h1>Wire</h1>
        <Button onClick={() => recorder.clear()}>Forget all</Button>
      </header>
      <p>Every request of this page and its response, byte for byte. Credentials are hidden.</p>
      {all.length === 0 && <Notice>Nothing has gone over the line yet. Call an operation first.</Notice>}
      {all.length > 0 && (
        <div class="wire">
          <section class="stack" aria-label="Exchanges">
            <TextField label="Only with this text" value={filter} onValue={setFilter} />
            <VirtualList
              label="Exchanges, the newest last"
              rows={shown}
              rowHeight={ROW}
              height={ROW * 10}
              followsEnd
              row={(exchange) => <Row exchange={exchange} isChosen={exchange === chosen} />}
            />
            <p class="hint">
              {shown.length} of {all.length === 1 ? "1 exchange" : `${all.length} exchanges`}
            </p>
          </section>
          {chosen !== undefined && <ExchangeDetail key={chosen.id} exchange={chosen} />}
        </div>
      )}
    </>
  );
}

/** How an exchange stands, in a word and a colour. */
function stateOf({ response, failure, endedAt }: WireExchange): readonly [Tone, string] {
  if (failure === CLOSED) return ["quiet", `${response?.status ?? "Not sent"}, closed`];
  if (failure !== undefined) return ["bad", response === undefined ? "Failed" : `${response.status}, cut`];
  if (response === undefined) return ["warn", "Sent"];
  const tone = response.status >= 400 ? "bad" : "good";
  return [endedAt === undefined ? "warn" : tone, String(response.status)];
}

function Row({ exchange, isChosen }: { exchange: WireExchange; isChosen: boolean }) {
  const [tone, word] = stateOf(exchange);
  const { id, purpose, method, url, frameCount, endedAt } = exchange;
  return (
    <a class="exchange" href={routeTo("wire", String(id))} aria-current={isChosen ? "true" : undefined}>
      <span class="row end">
        <span class="row what">
          <Badge tone={tone}>{word}</Badge>
          <strong>{purpose}</strong>
        </span>
        <span class="row">
          {frameCount > 0 && (
            <span class="hint">
              {frameCount === 1 ? "1 frame" : `${frameCount.toLocaleString("en")} frames`}
            </span>
          )}
          <span class="hint">{endedAt === undefined ? "running" : `${Math.round(endedAt)} ms`}</span>
        </span>
      </span>
      <span class="mono line">
        {method} {maskedUrl(url)}
      </span>
    </a>
  );
}

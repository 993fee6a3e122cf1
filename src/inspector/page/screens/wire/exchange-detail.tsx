import { useState } from "preact/hooks";
import type { HeaderField } from "../../../api.js";
import { Badge, Notice } from "../../components/badge.js";
import { DataTree } from "../../components/data-tree.js";
import { Tabs } from "../../components/tabs.js";
import { maskedBody, maskedHeader, maskedUrl } from "../../wire/masked.js";
import { CLOSED, isEventStream, type WireExchange } from "../../wire/wire-exchange.js";
import { BodyView } from "./body-view.js";
import { FrameList } from "./frame-list.js";

/** One exchange: the request, the answer, and for streams every frame. */
export function ExchangeDetail({ exchange }: { exchange: WireExchange }) {
  const isStream = isEventStream(exchange);
  const [selected, select] = useState<string>();
  const tabs = [
    { id: "request", label: "Request" },
    { id: "response", label: "Response" },
    ...(isStream ? [{ id: "frames", label: `Frames (${exchange.frameCount.toLocaleString("en")})` }] : []),
    ...(exchange.grpc ? [{ id: "grpc", label: "gRPC status" }] : []),
  ];
  const shown = selected ?? (exchange.grpc ? "grpc" : isStream ? "frames" : "response");
  return (
    <section class="panel" aria-label={`Exchange ${exchange.id}`}>
      <h2>{exchange.purpose}</h2>
      <Times exchange={exchange} />
      {exchange.failure !== undefined && (
        <Notice tone={exchange.failure === CLOSED ? "accent" : "bad"}>{exchange.failure}</Notice>
      )}
      <Tabs label="Parts of the exchange" tabs={tabs} selected={shown} onSelect={select}>
        {shown === "request" && <RequestView exchange={exchange} />}
        {shown === "response" && <ResponseView exchange={exchange} />}
        {shown === "frames" && <FrameList frames={exchange.frames} count={exchange.frameCount} />}
        {shown === "grpc" && <GrpcView exchange={exchange} />}
      </Tabs>
    </section>
  );
}

function Times({ exchange: { startedAt, response, endedAt, size, frames } }: { exchange: WireExchange }) {
  const [first] = frames;
  const facts = [
    `Sent at ${new Date(startedAt).toISOString().slice(11, 23)} UTC`,
    response && `headers after ${Math.round(response.at)} ms`,
    first && `first frame after ${Math.round(first.at)} ms`,
    endedAt === undefined ? "still running" : `ended after ${Math.round(endedAt)} ms`,
    `${size === 1 ? "1 byte" : `${size.toLocaleString("en")} bytes`} received`,
  ];
  return <p class="hint">{facts.filter(Boolean).join("; ")}.</p>;
}

function RequestView({ exchange }: { exchange: WireExchange }) {
  const { method, url, requestHeaders, requestBody = "" } = exchange;
  const bytes = new TextEncoder().encode(requestBody);
  const mask = (text: string) => maskedBody(text, exchange);
  return (
    <>
      <pre class="mono">
        {method} {maskedUrl(url)}
      </pre>
      <Headers fields={requestHeaders} />
      <BodyView bytes={bytes} mask={mask} name="request" isCut={false} />
    </>
  );
}

function ResponseView({ exchange }: { exchange: WireExchange }) {
  const { response, chunks, isCut } = exchange;
  if (response === undefined) return <p>No response has arrived.</p>;
  const { status, statusText, httpVersion, address, headers } = response;
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const mask = (text: string) => maskedBody(text, exchange);
  return (
    <>
      <div class="row">
        <Badge tone={status >= 400 ? "bad" : "good"}>
          {status} {statusText}
        </Badge>
        {httpVersion && <span class="hint">HTTP/{httpVersion}</span>}
        {address && <span class="hint">from {address.replace(" ", " port ")}</span>}
      </div>
      <Headers fields={headers} />
      <BodyView chunks={chunks} mask={mask} mediaType={type} name="response" isCut={isCut} />
    </>
  );
}

function Headers({ fields }: { fields: readonly HeaderField[] }) {
  return (
    <table class="mono">
      <caption class="visually-hidden">Headers</caption>
      <tbody>
        {fields.map(maskedHeader).map(([name, value], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function GrpcView({ exchange: { grpc } }: { exchange: WireExchange }) {
  if (grpc === undefined) return null;
  const { code, name, message, metadata, trailers, details } = grpc;
  return (
    <>
      <div class="row">
        <Badge tone={code === 0 ? "good" : "bad"}>
          {code} {name}
        </Badge>
        <span class="text">{message}</span>
      </div>
      {details.length > 0 && <DataTree label="Details of the status" value={details} />}
      <h3>Initial metadata</h3>
      <Headers fields={metadata} />
      <h3>Trailing metadata</h3>
      <Headers fields={trailers} />
    </>
  );
}

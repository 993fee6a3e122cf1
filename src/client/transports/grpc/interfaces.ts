import { parseUrl } from "../../../net/url.js";
import type { AgentInterface } from "../../../protocol/model.js";
import { GRPC_WEB } from "../../../protocol/operations.js";
import type { CallCodec } from "../../../versions/client-codec.js";
import { ClientError } from "../../client-error.js";
import type { Fetch } from "../../exchange.js";
import type { ClientSettings } from "../../options.js";
import { grpcUrl } from "./grpc-url.js";

// The part of `connect` that concerns only gRPC interfaces. It is imported when a card lists one, or the option `grpc.web` is set.

/** An interface that may have to be opened before it is called. */
interface Openable {
  readonly entry: AgentInterface;
  readonly open?: (() => Promise<Fetch>) | undefined;
}

/** The settings of a client that concern gRPC. */
type GrpcSettings = Pick<ClientSettings, "grpc" | "limits" | "fetch">;

/** Whether an interface is one of gRPC-Web (§12.7), and the client can call those. */
export function isOverWeb(
  { protocolBinding }: AgentInterface,
  { grpc }: Pick<ClientSettings, "grpc">,
): boolean {
  return grpc?.web !== undefined && protocolBinding === GRPC_WEB;
}

/**
 * The URL of an interface, and the function that opens it (see {@link opener}); undefined for an address that cannot be read.
 * @param base URL of the card
 * @param load loads the codec of the interface
 */
export function grpcInterface(
  entry: AgentInterface,
  base: URL | undefined,
  load: () => Promise<{ readonly codec: CallCodec }>,
  settings: GrpcSettings,
): { readonly url: URL; readonly open: () => Promise<Fetch> } | undefined {
  const isWeb = isOverWeb(entry, settings);
  const url = isWeb ? webUrl(entry.url, base) : grpcUrl(entry.url, { tls: settings.grpc?.tls, base });
  return url && { url, open: opener(load, settings, isWeb) };
}

/** The URL of a gRPC-Web interface; undefined for text that is not a URL of http or https. */
function webUrl(text: string, base: URL | undefined): URL | undefined {
  const url = parseUrl(text, base);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/**
 * Creates the function that opens a gRPC interface: it loads the service and the packages, and resolves to the function that sends calls.
 * Called again, it returns the same promise. It rejects with ClientError NO_INTERFACE when the version has no gRPC service, or the
 * platform has no HTTP/2; with Error when a package is missing; and with the errors of `load`, `grpc.web` and `grpc.wrap`.
 */
function opener(
  load: () => Promise<{ readonly codec: CallCodec }>,
  { grpc: { tls, wrap, web } = {}, limits, fetch: overHttp }: GrpcSettings,
  isWeb: boolean,
): () => Promise<Fetch> {
  let opened: Promise<Fetch> | undefined;
  const open = async () => {
    const { codec } = await load();
    const { grpc: service, version } = codec;
    if (service === undefined)
      throw new ClientError("NO_INTERFACE", `Protocol version ${version} is not called over gRPC`);
    const limit = Math.max(limits.answer, limits.event);
    const overHttp2 = async () =>
      (await import("#grpc")).openGrpc(service, { tls: tls === false ? undefined : tls, limit });
    const fetch = await (isWeb && web ? web(service, { limit, fetch: overHttp }) : overHttp2());
    return wrap?.(fetch) ?? fetch;
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

/**
 * The interfaces that can be used. gRPC needs its packages and a platform with HTTP/2, or the option `grpc.web` for gRPC-Web. If the
 * application passes its own `fetch`, which may guard URLs, gRPC is used only if the option `grpc` is set or `bindings` has "GRPC".
 * @throws ClientError NO_INTERFACE when none is left
 */
export async function openableOf<Address extends Openable>(
  addresses: readonly Address[],
  { bindings, hasOwnFetch, grpc, logger }: ClientSettings,
): Promise<readonly Address[]> {
  const mayOpen = !hasOwnFetch || grpc !== undefined || (bindings?.includes("GRPC") ?? false);
  const openable: Address[] = [];
  let reason: unknown;
  for (const address of addresses) {
    try {
      if (address.open !== undefined && !mayOpen) continue;
      await address.open?.();
      openable.push(address);
    } catch (error) {
      reason = error;
      logger.warn({ url: address.entry.url, err: error }, "An interface was skipped: it cannot be opened");
    }
  }
  if (openable.length > 0) return openable;
  const why =
    reason instanceof Error
      ? reason.message
      : 'gRPC interfaces bypass the option "fetch", so set the option "grpc" or name "GRPC" in the option "bindings" to allow them';
  throw new ClientError("NO_INTERFACE", `The agent has no interface that this client can use: ${why}`, {
    cause: reason,
  });
}

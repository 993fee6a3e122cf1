import type { AuthorizerCredentials } from "../conformance/authorizer.js";

/**
 * What the page of the inspector and its server say to each other. All paths are relative to the page. `parley inspect` has all of them; a
 * served agent that has the inspector mounted at `/inspector` has `api/session` alone, and the page calls the agent by itself.
 *
 * Every request to `api/` of `parley inspect` has the headers `Inspector-Token`, the token in the fragment of the page's URL, and, after the page has opened its events,
 * `Inspector-Page`. Bodies are JSON except where it is said.
 *
 * | Request | Body | Answer |
 * | --- | --- | --- |
 * | `GET api/session` | | {@link Session} |
 * | `POST api/events` | | frames (`frames.ts`), as long as the page is open: events (`events.ts`) and pieces of bodies |
 * | `POST api/fetch` | {@link FetchHead} and bytes (`frames.ts`) | 202; what comes of it arrives as events |
 * | `POST api/conformance` | {@link ConformanceRun} | 202; results arrive as events |
 * | `POST api/abort` | {@link AbortRequest} | 204, also for a call that has ended |
 * | `POST api/redirects` | {@link RedirectRequest} | 204; the redirect arrives as an event |
 * | `GET api/webhooks` | | {@link WebhookReceiver}s, as an array |
 * | `POST api/webhooks` | {@link WebhookSettings} | 201 {@link WebhookReceiver} |
 * | `PUT api/webhooks/<id>` | {@link WebhookSettings} | {@link WebhookReceiver} |
 * | `DELETE api/webhooks/<id>` | | 204 |
 * | `GET api/webhooks/<id>/deliveries` | | {@link Delivery}s that are kept, the oldest first, as an array |
 *
 * A refused request has status 4xx and an {@link ApiFailure}. All that a page has asked for ends with its events: calls are aborted, runs
 * stop. Webhooks belong to the launch and stay.
 */
export interface ApiFailure {
  /** `FORBIDDEN`: wrong token, host or origin. `GONE`: no events are open for the page. */
  readonly code: "FORBIDDEN" | "NOT_FOUND" | "INVALID_REQUEST" | "TOO_LARGE" | "TOO_MANY" | "GONE";
  readonly message: string;
}

/** What the page can do here. */
export interface Session {
  /** `mounted`: the page belongs to a served agent, which it calls same-origin. */
  readonly mode: "local" | "mounted";
  /** Version of the package. */
  readonly version: string;
  /** The agent that the command line has named: its URL, which may have the name of an agent in a catalog as fragment, or its card. */
  readonly target?: { readonly url: string } | { readonly card: object };
  /** The agents of the server, when mounted. Interfaces whose URL begins with `url` are reached same-origin, at the path of the rest. */
  readonly mounted?: {
    readonly url: string;
    readonly agents: readonly { readonly name: string; readonly path: string }[];
  };
  /** Whether agents on this machine and in private networks may be called, besides one on this machine that the command line has named. */
  readonly allowsPrivate: boolean;
  readonly can: {
    /** `over: "GRPC"` in {@link FetchHead}. */
    readonly grpc: boolean;
    readonly webhooks: boolean;
    readonly conformance: boolean;
    /** Whether servers that ask for a client certificate get one. */
    readonly certificate: boolean;
  };
  /** URL to which issuers redirect a browser that has signed in; absent when mounted. */
  readonly redirectUri?: string;
  /** Bytes. */
  readonly limits: { readonly request: number; readonly answer: number };
}

/** A field of a header: name and value. Names that repeat are fields of their own. */
export type HeaderField = readonly [name: string, value: string];

/** A call of an agent, of its card or of its issuer. */
export interface FetchHead {
  /** Chosen by the page, unique among its calls and runs. */
  readonly id: number;
  /**
   * For gRPC: the path of the URL is `/<service>/<Method>`, the body the message as ProtoJSON, and the answer that of HTTP+JSON, a stream
   * as event stream, as `#grpc` gives them to the client. The event `status` has what gRPC has said.
   */
  readonly over?: "GRPC";
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderField[];
  /**
   * URL of the agent that the person has opened and for which this is called. A private address is reached only for an agent that the
   * command line has named, on the same machine.
   */
  readonly agent: string;
  /** Largest answer in bytes; `Session.limits.answer` at most and by default. */
  readonly maxBytes?: number;
}

/** Ends a call or a run. */
export interface AbortRequest {
  readonly id: number;
}

/** Waits for the redirect of an authorization (RFC 6749 §4.1.2) at `Session.redirectUri`. */
export interface RedirectRequest {
  /** The `state` of the authorization. */
  readonly state: string;
}

/** What a webhook demands, and how it answers. */
export interface WebhookSettings {
  /** For people. */
  readonly name?: string;
  /** Token of the push config. */
  readonly token?: string;
  /** `Authorization` header as it is to come: scheme, space, credentials. */
  readonly authorization?: string;
  /** Signatures to verify: the URL of the key set, and the issuer. The audience is the webhook's URL. */
  readonly signature?: { readonly keys: string; readonly issuer: string };
  /** Answers so many of the next calls with this status, to see them repeated. */
  readonly fail?: {
    readonly status: number;
    readonly times: number;
    /** Seconds, sent as `Retry-After`. */
    readonly retryAfter?: number;
  };
  /** Seconds to wait before each answer, at most 60. */
  readonly delay?: number;
}

/** A receiver of push notifications. */
export interface WebhookReceiver extends WebhookSettings {
  readonly id: string;
  /** For the push config of a task. It leads to this machine. */
  readonly url: string;
  /** Number of calls so far. */
  readonly calls: number;
}

/** How a part of a call of a webhook was found. `unchecked`: the webhook does not demand it. */
export type Verdict = "valid" | "invalid" | "missing" | "unchecked";

/** One call of a webhook. */
export interface Delivery {
  /** 1, 2, 3 … of its webhook. */
  readonly number: number;
  readonly webhook: string;
  /** ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly headers: readonly HeaderField[];
  /** Text of the body; cut after 1 MiB. */
  readonly body: string;
  /** Bytes of the whole body. */
  readonly bytes: number;
  readonly token: Verdict;
  readonly authorization: Verdict;
  readonly signature: Verdict;
  /** Claims of a valid signature. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Position of the event in the log of its task, when the sender says so. */
  readonly generation?: number;
  readonly taskId?: string;
  /** How often this event has been sent to this webhook: 1 for the first time. */
  readonly attempt: number;
  /** Status of the answer. */
  readonly status: number;
  /** Why it was answered so. */
  readonly reason: string;
}

/** A run of the checks of conformance. It ends with `reported` or `runFailed`. */
export interface ConformanceRun {
  /** Unique among calls and runs of the page. */
  readonly id: number;
  /** URL of the agent, or its card. */
  readonly target: string | object;
  /** As in {@link FetchHead}. */
  readonly agent: string;
  /** Version to check; the newest that the card offers by default. */
  readonly protocol?: string;
  /** Ids of requirements or of groups. */
  readonly only?: readonly string[];
  /** Texts that provoke scenarios, by the name of the scenario. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly responseTimeout?: number;
  /** They are kept for the run alone. */
  readonly credentials?: AuthorizerCredentials;
  /** Those of a second caller, who must not see the tasks of the first. */
  readonly otherCredentials?: AuthorizerCredentials;
  /** Origins that may get credentials besides that of the card. */
  readonly origins?: readonly string[];
}

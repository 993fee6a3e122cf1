/** A requirement of the contract for command lines of the A2A project, version 0.2. */
export interface Requirement {
  readonly id: string;
  readonly tier: 1 | 2 | 3;
  /** Sections of the contract. */
  readonly spec: string;
  /** What it is about; the contract has the whole text. */
  readonly about: string;
}

/** Version and revision of the contract, whose registry this is. */
export const contract = { version: "0.2", revision: "2026-08-17" } as const;

const rows: readonly (readonly [id: string, tier: 1 | 2 | 3, spec: string, about: string])[] = [
  ["CARD_GET_001", 1, "§8.1, §11", "card get: a card from a host, a URL or a file selects the transport"],
  ["SEND_001", 1, "§8.2", "send starts an interaction"],
  ["SEND_002", 1, "§8.2, §4.5", "send waits; --async returns the identifiers at once"],
  [
    "SEND_003",
    1,
    "§8.2, §7.2",
    "--stream reads events, never hangs without streams, and ends well after a message",
  ],
  ["SEND_004", 1, "§8.2", "artifacts are shown, and no part is dropped"],
  ["SEND_005", 1, "§8.2", "--media-type belongs to the part before it; otherwise the type is inferred"],
  [
    "SEND_006",
    1,
    "§8.2",
    "--text, --file and --data repeat and keep their order; --data - reads standard input",
  ],
  ["TASK_GET_001", 1, "§8.3", "task get: state, artifacts and history"],
  ["TASK_CANCEL_001", 1, "§8.4", "task cancel: idempotent, reports the resulting state"],
  ["INTERACT_001", 1, "§6.2", "--context-id continues an interaction"],
  ["INTERACT_002", 1, "§6.2", "--task-id continues a task; a refused identifier creates none"],
  ["INTERACT_003", 1, "§6.1, §2", "identifiers of the server are never invented"],
  ["INTERACT_004", 1, "§6.3", "identifiers and state are reported with the command that resumes"],
  ["INTERACT_005", 1, "§4.3, §6.1, §6.4", "no interaction is stored, and there is no --continue"],
  ["TASK_POLL_001", 1, "§7.3", "task get once, and with --wait to the end or an interruption"],
  ["TASK_POLL_002", 1, "§7.3", "--poll-interval and --timeout hold; a wait can be interrupted"],
  ["TASK_POLL_003", 1, "§7.1, §7.3", "interrupted states end a wait; an unspecified state does not"],
  ["TASK_POLL_004", 1, "§7.3", "a wait polls when its stream fails"],
  [
    "OUT_001",
    1,
    "§9.1, §9.5, §6.3",
    "context, task and state in every answer; payload on stdout, the rest on stderr",
  ],
  ["OUT_002", 1, "§9.3, App. B", "-o json: one document, the object as it ended"],
  [
    "OUT_003",
    1,
    "§9.3, §9.4, App. B",
    "-o json --stream: one object per line, the last one final or an error",
  ],
  [
    "OUT_004",
    1,
    "§9.4, App. B, App. E",
    "errors are named as the protocol or the contract names them, with a hint",
  ],
  [
    "OUT_005",
    1,
    "§9.2, §4.1",
    "text: one field per line, blocks of content, no control sequences, no prompt in a pipe",
  ],
  ["OUT_006", 1, "§9.5", "--async answers with the identifiers"],
  ["EXIT_001", 1, "§9.6, App. E", "exit statuses 0, 1 and 2, and reserved ones with their meaning"],
  ["EXIT_002", 1, "§4.6, §9.6", "a task that failed or waits is exit 0, with a warning"],
  [
    "AUTH_001",
    1,
    "§10.1",
    "credentials by flag and environment, attached as the card requires; --svc-param apart",
  ],
  ["AUTH_002", 1, "§10.1, §4.5", "a variable for each credential; the exposure of flags is documented"],
  ["AUTH_003", 1, "§10.1, §4.5", "credentials with --insecure are warned of"],
  ["AUTH_004", 1, "§10.1, §5.2", "no output shows credentials, --debug included"],
  ["TX_001", 1, "§11.1", "the card's order of transports decides"],
  ["TX_002", 1, "§11.1, §4.5", "the first supported interface; --transport repeats and orders"],
  ["TX_003", 1, "§11.1", "the tenant of the interface in every request, and none where none is declared"],
  ["VER_001", 1, "§11.2", "a version on every request; none below 1.0, and no silent downgrade"],
  ["DEFAULT_001", 1, "§4.5", "the baseline defaults, each overridable, shown by --help"],
  ["CONFIG_001", 1, "§6.4", "settings at the usual place, secrets unreadable by others, no session state"],
  ["CLI_001", 1, "§5.1, §5.2, §4.5", "help, --help and --version"],
  ["SKILL_001", 1, "§12.1, §12.2", "conditional: exactly one agent skill"],
  ["SKILL_002", 1, "§12.3", "conditional: the skill restates no requirement"],
  ["CARD_GET_002", 2, "§8.1", "card get --validate"],
  ["TASK_LIST_001", 2, "§5.1, App. A", "task list by page, state and context"],
  ["TASK_SUBSCRIBE_001", 2, "§5.1, §7.2", "task subscribe"],
  ["TASK_SUBSCRIBE_002", 2, "§7.4, §7.2", "a stream is resumed after a disconnection, from the whole task"],
  ["AUTH_005", 2, "§10.2", "auth login by device code"],
  ["AUTH_006", 2, "§10.2", "auth login by client credentials"],
  ["AUTH_007", 2, "§10.2", "tokens are stored safely and attached to later calls"],
  ["TX_004", 2, "§11.1", "two transports, selectable"],
  ["VER_003", 2, "§11.3", "capabilities are looked up in the card before they are used"],
  [
    "CONFIG_002",
    2,
    "§6.4",
    "flag, environment, local file, global file, default; config show names the source",
  ],
  ["DOWNLOAD_001", 2, "§5.1", "task download"],
  ["OUT_007", 2, "§5.2", "--debug shows the messages on the wire"],
  ["CONFORM_001", 2, "§5.1", "conformance checks a live agent"],
  ["CLI_002", 2, "§5.1", "completion for shells"],
  ["PUSH_001", 2, "§5.1, App. A", "task push-config create, get, list, delete"],
  ["CARD_GET_003", 3, "§8.1, §10.4", "the extended card, by a scheme of the public one"],
  ["CARD_GET_004", 3, "§8.1", "signatures of cards are verified, and the outcome is reported"],
  ["CARD_GET_005", 3, "§8.1", "references to catalogues and registries"],
  ["PUSH_002", 3, "§7.2", "a local receiver of webhooks"],
  ["CHAT_001", 3, "§6.2, §5.1", "chat carries context and task"],
  ["TX_005", 3, "§11.1", "gRPC"],
  ["AUTH_008", 3, "§10.4", "no credentials for a card that declares no scheme"],
  ["AUTH_009", 3, "§10.3", "mutual TLS"],
  ["AUTH_010", 3, "§10.3", "OpenID Connect"],
  ["AUTH_011", 3, "§10.3", "AUTH_REQUIRED within a task"],
  ["DEMO_SERVER_001", 3, "§5.1, §14", "demo-server"],
  ["VER_002", 3, "§11.3, A2A §4.6", "extensions that the agent requires are declared"],
];

/** All requirements, in the order of the contract. */
export const registry: readonly Requirement[] = rows.map(([id, tier, spec, about]) => ({
  ...{ id: `A2ACLI_${id}`, tier, spec, about },
}));

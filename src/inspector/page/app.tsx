import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, Notice } from "./components/badge.js";
import { Button } from "./components/button.js";
import { moveFocus } from "./components/roving-focus.js";
import { HelpDialog } from "./help-dialog.js";
import { route, routeTo } from "./route.js";
import { type Screen, screens } from "./screens.js";
import { closeAgent, currentAgent } from "./session/current-agent.js";
import { pageServer } from "./session/page-server.js";
import { useShortcuts } from "./shortcuts.js";
import { changeTheme, theme } from "./theme.js";

/** The whole page: the bar, the navigation, and one screen. */
export function App() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(() => setHelpOpen(true));
  const screen = currentScreen();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(screen);
  useEffect(() => {
    document.title = `${screen.title} · Parley inspector`;
    // A screen that was opened has the focus, so that a screen reader reads it.
    if (shown.current !== screen) main.current?.focus();
    shown.current = screen;
  }, [screen]);
  return (
    <div class="shell">
      {/* A button, because the fragment of the URL belongs to the route. */}
      <button type="button" class="button skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Bar onHelp={() => setHelpOpen(true)} />
      <Navigation current={screen} />
      <main id="main" class="screen" ref={main} tabIndex={-1}>
        <ServerProblem />
        <screen.component key={screen.name} />
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function currentScreen(): Screen {
  const found = screens.find(({ name, needsAgent }) => name === route.value.screen && isUsable(needsAgent));
  return found ?? (screens[0] as Screen);
}

function isUsable(needsAgent: boolean): boolean {
  return !needsAgent || currentAgent.value.status !== "none";
}

const themeNames = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" } as const;

function Bar({ onHelp }: { onHelp: () => void }) {
  return (
    <header class="bar">
      <a class="brand" href={routeTo("")}>
        Parley inspector
      </a>
      <AgentState />
      <Button isSmall onClick={changeTheme}>
        {themeNames[theme.value]}
      </Button>
      <Button isSmall onClick={onHelp} aria-keyshortcuts="?">
        Help
      </Button>
    </header>
  );
}

const words = {
  none: undefined,
  opening: ["warn", "Opening"],
  open: ["good", "Open"],
  failed: ["bad", "Failed"],
} as const;

function AgentState() {
  const agent = currentAgent.value;
  const word = words[agent.status];
  return (
    <div class="agent" aria-live="polite">
      {word === undefined || !("url" in agent) ? (
        <span class="hint">No agent is open</span>
      ) : (
        <>
          <Badge tone={word[0]}>{word[1]}</Badge>
          {agent.status === "open" && <strong>{agent.card.name}</strong>}
          <span class="mono">{agent.url}</span>
          <Button isSmall look="plain" onClick={closeAgent}>
            Close agent
          </Button>
        </>
      )}
    </div>
  );
}

function Navigation({ current }: { current: Screen }) {
  const usable = screens.filter(({ needsAgent }) => isUsable(needsAgent));
  const place = usable.indexOf(current);
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a narrow window the links are a row that scrolls.
    links.current?.children[place]?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place]);
  return (
    <nav class="nav" ref={links} aria-label="Screens" onKeyDown={moveFocus}>
      {usable.map(({ name, title }) => (
        <a key={name} href={routeTo(name)} aria-current={name === current.name ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function ServerProblem() {
  const server = pageServer.value;
  if (server.status !== "failed") return null;
  return (
    <Notice tone="bad">
      <strong>This page cannot reach its server.</strong>
      <span>{server.problem}</span>
      <span>
        Open the URL that <code>parley inspect</code> has printed: it contains the token of this launch.
      </span>
    </Notice>
  );
}

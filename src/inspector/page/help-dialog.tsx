import { Dialog } from "./components/dialog.js";
import { screens } from "./screens.js";

/** What the keys do. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Help" onClose={onClose}>
      <p>
        The inspector shows how an agent speaks A2A: its card, its answers, and every byte between you and it.
        Open an agent first: most screens are about the agent that is open.
      </p>
      <h3>Keys</h3>
      <table class="shortcuts">
        <tbody>
          <Shortcut keys={["?"]} text="This help" />
          {screens.map(({ name, key, title }) => (
            <Shortcut key={name} keys={["g", key]} text={`Screen “${title}”`} />
          ))}
          <Shortcut keys={["Tab"]} text="To the next control; into the next group of tabs" />
          <Shortcut
            keys={["←", "→"]}
            between="or"
            text="Between tabs, and between screens in the navigation"
          />
          <Shortcut keys={["Enter"]} text="Sends the message; Shift+Enter begins a new line in it" />
          <Shortcut keys={["Ctrl", "]"]} between="with" text="Indents in the JSON editor" />
        </tbody>
      </table>
    </Dialog>
  );
}

interface ShortcutProps {
  readonly keys: readonly string[];
  readonly text: string;
  readonly between?: string;
}

function Shortcut({ keys, text, between = "then" }: ShortcutProps) {
  return (
    <tr>
      <th scope="row">
        {keys.map((key, index) => (
          <span key={key}>
            {index > 0 && ` ${between} `}
            <kbd>{key}</kbd>
          </span>
        ))}
      </th>
      <td>{text}</td>
    </tr>
  );
}

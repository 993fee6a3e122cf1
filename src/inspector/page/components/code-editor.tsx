import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Colours by the variables of the theme, which reach into the editor's shadow tree. */
const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", maxHeight: "26rem", minHeight: "7rem" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--raised)", border: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--tint)",
  },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--edge)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--key)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: [tags.bool, tags.null], color: "var(--word)" },
]);

/** Something wrong with a text, from one character to another. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Properties of a {@link CodeEditor}. */
export interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What is wrong with a text besides its syntax. */
  readonly check?: ((text: string) => readonly TextProblem[]) | undefined;
}

/** An editor for JSON that marks what is wrong while one types. Its styles are in a shadow tree: the page permits no inline style elements. */
export function CodeEditor({ label, value, onValue, check }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const props = useRef({ value, onValue, check });
  props.current = { value, onValue, check };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once and keeps its own text
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: "open" });
    if (root === undefined) return;
    const made = new EditorView({ state: stateOf(label, value, props), parent: root, root });
    view.current = made;
    return () => made.destroy();
  }, []);
  // At once: a character that is typed before would be overwritten.
  useLayoutEffect(() => {
    const current = view.current?.state.doc.toString();
    if (current === undefined || current === value) return;
    view.current?.dispatch({ changes: { from: 0, to: current.length, insert: value } });
  }, [value]);
  return <div class="editor" ref={host} />;
}

function stateOf(
  label: string,
  doc: string,
  props: { readonly current: Pick<CodeEditorProps, "value" | "onValue" | "check"> },
): EditorState {
  const diagnose = (view: EditorView): Diagnostic[] => {
    const syntax = jsonParseLinter()(view);
    if (syntax.length > 0) return syntax;
    const found = props.current.check?.(view.state.doc.toString()) ?? [];
    return found.map((problem) => ({ ...problem, severity: "error" }));
  };
  const changed = EditorView.updateListener.of((update) => {
    const text = update.state.doc.toString();
    // A text that was set from outside is known there.
    if (update.docChanged && text !== props.current.value) props.current.onValue(text);
  });
  const named = EditorView.contentAttributes.of({ "aria-label": label });
  return EditorState.create({
    doc,
    extensions: [
      ...[
        lineNumbers(),
        history(),
        bracketMatching(),
        json(),
        look,
        syntaxHighlighting(colours),
        named,
        changed,
      ],
      ...[linter(diagnose, { delay: 200 }), EditorView.lineWrapping],
      // Tab leaves the editor, as it leaves any other field.
      keymap.of([...defaultKeymap, ...historyKeymap]),
    ],
  });
}

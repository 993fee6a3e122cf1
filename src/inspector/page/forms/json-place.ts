import { jsonLanguage } from "@codemirror/lang-json";
import type { TextProblem } from "../components/code-editor.js";
import type { SchemaProblem, ValuePath } from "./schema-problems.js";

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>["topNode"];

/** Where problems of a value are in its JSON text. A member that is missing is shown at the object that lacks it. */
export function placedProblems(text: string, problems: readonly SchemaProblem[]): readonly TextProblem[] {
  const top = jsonLanguage.parser.parse(text).topNode.firstChild;
  if (top === null) return [];
  return problems.map(({ path, message }) => {
    const { from, to } = nodeAt(top, path, text);
    return { from, to, message };
  });
}

function nodeAt(node: SyntaxNode, [step, ...rest]: ValuePath, text: string): SyntaxNode {
  if (step === undefined) return node;
  const inner = typeof step === "number" ? elementOf(node, step) : memberOf(node, step, text);
  return inner === undefined ? node : nodeAt(inner, rest, text);
}

function elementOf(node: SyntaxNode, index: number): SyntaxNode | undefined {
  return childrenOf(node).filter(({ name }) => !"[],⚠".includes(name))[index];
}

function memberOf(node: SyntaxNode, name: string, text: string): SyntaxNode | undefined {
  const property = childrenOf(node).find((child) => {
    const key = child.getChild("PropertyName");
    return key !== null && text.slice(key.from, key.to) === JSON.stringify(name);
  });
  return property?.lastChild ?? undefined;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

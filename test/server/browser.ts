import assert from "node:assert/strict";
import { type CardInput, type Executor, reply } from "../../src/index.js";

/** What browsers send for a page. */
export const BROWSER =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

/** Says who said what. */
export const echo: Executor = async ({ text, call }) =>
  reply(`${call.principal.id || "anyone"} said ${text}`);

/** Reads an address as a browser does. */
export const browse = (url: string, accept = BROWSER) => fetch(url, { headers: { Accept: accept } });

/** The page at an address. */
export async function pageAt(url: string): Promise<string> {
  const response = await browse(url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  return response.text();
}

/** The text of a page as its reader sees it. */
export const unescaped = (html: string) =>
  html.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** The blocks to copy: curl, parley, TypeScript. */
export const blocksOf = (html: string) =>
  Array.from(html.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g), ([, block = ""]) => unescaped(block));

/** A card with everything that the page shows. */
export const travel: CardInput = {
  name: "Weekend planner",
  description: "Plans a weekend.",
  version: "1.4.0",
  provider: { organization: "Example Travel", url: "https://travel.example/about" },
  documentationUrl: "https://travel.example/docs",
  capabilities: { extensions: [{ uri: "https://ext.example/v1", description: "Adds maps" }] },
  skills: [
    {
      id: "plan",
      name: "Plan two days",
      description: "With a budget.",
      tags: ["travel"],
      examples: ["Oslo, it's for 300 €"],
      outputModes: ["application/pdf"],
    },
  ],
};

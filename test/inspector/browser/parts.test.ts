import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, type TestContext, test } from "vitest";
import { filePart, type Part, reply } from "../../../src/index.js";
import { serveExecutor } from "../../support/peer.js";
import { openInspector, skip } from "./open-page.js";

const MIB = 1024 * 1024;

/** A sound of 8-bit samples: a tone of 440 Hz. */
function tone(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 8000;
  const samples = seconds * rate;
  const wav = new DataView(new ArrayBuffer(44 + samples));
  const word = (at: number, letters: string) =>
    [...letters].forEach((letter, index) => {
      wav.setUint8(at + index, letter.charCodeAt(0));
    });
  word(0, "RIFF");
  wav.setUint32(4, 36 + samples, true);
  word(8, "WAVEfmt ");
  wav.setUint32(16, 16, true);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    wav.setUint16(at, value, true);
  wav.setUint32(24, rate, true);
  wav.setUint32(28, rate, true);
  word(36, "data");
  wav.setUint32(40, samples, true);
  for (let at = 0; at < samples; at += 1)
    wav.setUint8(44 + at, 128 + 100 * Math.sin((at / rate) * 2 * Math.PI * 440));
  return new Uint8Array(wav.buffer);
}

/** Opens an agent that answers with parts, and asks for them. */
async function answered(t: TestContext, ...parts: readonly Part[]) {
  const agent = await serveExecutor(t, () => reply([...parts]));
  const opened = await openInspector(t, { agent: agent.url });
  const { page, show } = opened;
  await page.getByText("Test agent").first().waitFor();
  await show("Conversation");
  await page.getByLabel("Message", { exact: true }).fill("parts");
  await page.getByRole("button", { name: "Send" }).click();
  return { ...opened, said: page.getByRole("article", { name: "Agent" }) };
}

const shownText = (page: Page) => page.evaluate<number>("document.body.innerText.length");

describe.skipIf(skip)("a part", () => {
  test("that is a sound plays from the received bytes", async (t) => {
    const { page, said, look } = await answered(
      t,
      filePart(tone(1), { filename: "tone.wav", mediaType: "audio/wav" }),
    );
    const player = said.locator("audio");
    await player.waitFor();
    assert.match((await player.getAttribute("src")) ?? "", /^blob:/);
    assert.equal(await player.getAttribute("aria-label"), "tone.wav");
    const played = await page.evaluate<{ duration: number; at: number }>(`(async () => {
      const player = document.querySelector("audio");
      player.muted = true;
      await player.play();
      await new Promise((resolve) => player.addEventListener("ended", resolve, { once: true }));
      return { duration: player.duration, at: player.currentTime };
    })()`);
    assert.ok(Math.abs(played.duration - 1) < 0.05, `${played.duration} s`);
    assert.ok(played.at >= 0.95, `played to ${played.at} s`);
    await look("conversation-audio");
  });

  test("that is a text of 50 MiB is cut, and saved as a whole", async (t) => {
    const { page, said, look } = await answered(t, { text: "x".repeat(50 * MIB) });
    await said.getByText("of 52,428,800 characters are shown").waitFor({ timeout: 60_000 });
    assert.ok((await shownText(page)) < 100_000, `${await shownText(page)} characters on the page`);
    await look("conversation-long");
    await said.getByRole("button", { name: "Show more" }).click();
    await said.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    assert.ok((await shownText(page)) < 2 * MIB, `${await shownText(page)} characters on the page`);
    const saved = page.waitForEvent("download");
    await said.getByRole("button", { name: "Save all of it" }).click();
    const { size } = await stat((await (await saved).path()) ?? "");
    assert.equal(size, 50 * MIB);
  });

  test("that is a file of 50 MiB is a line of text, and saved as a whole", async (t) => {
    const bytes = new Uint8Array(50 * MIB).fill(7);
    const { page, said } = await answered(
      t,
      filePart(bytes, { filename: "large.bin", mediaType: "application/zip" }),
    );
    await said.getByText("application/zip · 52.4 MB").waitFor({ timeout: 60_000 });
    assert.ok((await shownText(page)) < 10_000, `${await shownText(page)} characters on the page`);
    const saved = page.waitForEvent("download", { timeout: 100_000 });
    await said.getByRole("button", { name: "Save large.bin" }).click({ timeout: 100_000 });
    const { size } = await stat((await (await saved).path()) ?? "");
    assert.equal(size, 50 * MIB);
  });
});

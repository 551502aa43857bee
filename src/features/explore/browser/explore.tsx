import { render } from "preact";
import { setLocale } from "../../../base/text/locale.ts";
import { unpackCalls } from "../packed-calls.ts";
import { pageFactsSchema } from "../page-facts.ts";
import { App } from "./app.tsx";
import { PageCalls } from "./page-calls.ts";

async function start(): Promise<void> {
  const facts = pageFactsSchema.parse(JSON.parse(textOf("facts")));
  setLocale(facts.locale ?? undefined);
  const encoded = textOf("calls");
  const packed = await inflate(encoded);
  const calls = new PageCalls(facts, unpackCalls(packed));
  const isUndamaged = await check(encoded, facts.sha256);
  const place = document.getElementById("page");
  if (place === null) throw new Error("The page has no place for figures");
  place.replaceChildren();
  render(<App source={{ facts, calls }} isUndamaged={isUndamaged} />, place);
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns whether the calls have their hash; undefined where a browser computes none, as on a page without TLS. */
async function check(encoded: string, sha256: string): Promise<boolean | undefined> {
  if (!isSecureContext) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(encoded)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

start().catch((error: unknown) => {
  const progress = document.getElementById("progress");
  if (progress)
    progress.textContent = `This page cannot show its calls: ${String(error)}. Get the file again.`;
});

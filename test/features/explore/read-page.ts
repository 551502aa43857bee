import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { unpackCalls } from "../../../src/features/explore/packed-calls.ts";
import type { PageFacts } from "../../../src/features/explore/page-facts.ts";

/** Reads what is in a page to explore. */
export function readPage(file: string): { facts: PageFacts; data: ReturnType<typeof unpackCalls> } {
  const html = readFileSync(file, "utf8");
  const [, json = "", base64 = ""] = /id="facts">(.*?)<\/script>[\s\S]*id="calls">([^<]*)</.exec(html) ?? [];
  return { facts: JSON.parse(json), data: unpackCalls(inflateRawSync(Buffer.from(base64, "base64"))) };
}

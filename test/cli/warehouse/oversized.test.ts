import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { NODE_SAYS_PEAK, peakMbOf } from "../../support/peak.ts";
import { calltally, settingsFor } from "../../support/run.ts";
import { type Answer, startServer, text } from "../../support/services/server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

/** The maximum of resident memory of a run, whatever the service sends. */
const MAX_MB = 300;
const TOO_LARGE = "The API response is too large to be read: it has";

const page = (calls: string) =>
  `{"code":200,"message":"Success","data":{"calls":[${calls}],"total":1000,"limit":1000,"offset":0},"request_id":"r"}`;
const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":1`).join();

/** A body in a small gzip. */
const bomb = (body: string): Answer =>
  text(gzipSync(body, { level: 1 }), 200, { "content-encoding": "gzip" });

describe("sync with an oversized response", () => {
  it.each([
    {
      title: "a call of 1,500,000 members",
      answer: () => bomb(page(`{"call_id":1,${members(1_500_000)}}`)),
      says: TOO_LARGE,
    },
    {
      title: "lists nested ten million deep",
      answer: () => bomb(page("[".repeat(1e7) + "]".repeat(1e7))),
      says: TOO_LARGE,
    },
    {
      title: "200 MB of text",
      answer: () => bomb(page(`{"call_id":1,"summary":"${"x".repeat(2e8)}"}`)),
      says: "The API response is larger than 32 MiB",
    },
  ])("refuses $title in little memory", async ({ answer, says }) => {
    using folder = makeTempFolder();
    await using service = await startServer(answer());
    const access = settingsFor({ url: service.url.origin, token: "token-of-a-test" });
    const env = { ...access, CALLTALLY_RETRY_SECONDS: "0", ...NODE_SAYS_PEAK };
    const { code, stderr } = await calltally(["sync"], { cwd: folder.path, env });
    expect(peakMbOf(stderr)).toBeLessThan(MAX_MB);
    expect(stderr).toContain(says);
    expect(code).toBe(8);
  });
});

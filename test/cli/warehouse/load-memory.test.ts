import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { LONGEST_MS } from "../../support/enough-time.ts";
import { NODE_SAYS_PEAK, peakMbOf } from "../../support/peak.ts";
import { BIN, settingsFor } from "../../support/run.ts";
import { startRowService, TOKEN } from "../../support/services/call-service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const CALLS = 40_000;
const MAX_MB = 250;
const NEWEST_MS = Date.parse("2026-11-20T00:00:00.000Z");

/** Each of another caller, to show the memory per caller. */
function rowAt(index: number): string {
  return JSON.stringify({
    call_id: CALLS - index,
    caller_id: `+1415${String(index).padStart(7, "0")}`,
    call_started: new Date(NEWEST_MS - index * 60_000).toISOString(),
    duration: 60,
    summary: "The caller asks for an appointment. ".repeat(3),
  });
}

it(`sync reads ${CALLS} calls in ${MAX_MB} MB`, { timeout: LONGEST_MS }, async () => {
  using folder = makeTempFolder();
  await using service = await startRowService(Array.from({ length: CALLS }, (_, index) => rowAt(index)));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    ...settingsFor({ url: service.url.origin, token: TOKEN }),
    ...NODE_SAYS_PEAK,
  };
  // Started as for users: by the first line of the file, which limits V8's young generation.
  const { stderr } = await promisify(execFile)(BIN, ["sync"], { cwd: folder.path, env });
  expect(peakMbOf(stderr)).toBeLessThan(MAX_MB);
});

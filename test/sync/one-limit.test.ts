import { describe, expect, it } from "vitest";
import { type Asked, rowsOf, startRowService } from "../support/call-service.ts";
import { type Answer, json } from "../support/server.ts";

interface Seen extends Pick<Asked<string>, "offset" | "limit"> {
  /** Concurrent requests when it arrived, including itself. */
  underWay: number;
}

/**
 * Starts a service of 200 calls that refuses the first four planned pages, so that only one request at a time is allowed for a while
 * although four connections are open; each response takes long enough to make concurrent requests visible.
 */
async function startBusyService(change: (rows: string[], asked: Asked<string>) => void = () => undefined) {
  const seen: Seen[] = [];
  let underWay = 0;
  const slowly =
    (answer: Answer): Answer =>
    (request, response) => {
      setTimeout(() => {
        underWay--;
        answer(request, response);
      }, 10);
    };
  const tooMany = json({ code: 429, message: "Too many" }, 429, { "retry-after": "1" });
  const service = await startRowService(rowsOf(1, 200), (asked) => {
    seen.push({ offset: asked.offset, limit: asked.limit, underWay: ++underWay });
    if (asked.before >= 1 && asked.before <= 4) return slowly(tooMany);
    change(service.calls, asked);
    return slowly(asked.honest);
  });
  return Object.assign(service, { seen });
}

/** The number of concurrent requests at each one after the four refused and repeated ones, until two are allowed. */
function afterRefusals(seen: readonly Seen[]): number[] {
  return seen.slice(9, 16).map(({ underWay }) => underWay);
}

describe("sync with one request at a time", () => {
  it("repairs a seam while nothing else is running", async () => {
    let isMoved = false;
    // Fifteen calls disappear before the second page: its seam shares nothing with the first.
    await using service = await startBusyService((rows, { offset }) => {
      if (isMoved || offset === 0) return;
      isMoved = true;
      rows.splice(0, 15);
    });
    const run = await service.sync({ concurrency: 4 });
    expect(run).toMatchObject({ seams_mended: 1, seams_broken: 0 });
    expect(afterRefusals(service.seen)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });
});

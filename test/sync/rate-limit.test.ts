import { describe, expect, it } from "vitest";
import { FakeClock } from "../support/fake-clock.ts";
import { type CallService, rowsOf, startRowService } from "../support/services/call-service.ts";
import { type Answer, json } from "../support/services/server.ts";

const busy = (retryAfter: string) =>
  json({ code: 429, message: "Too many" }, 429, { "retry-after": retryAfter });

/** Late enough for simultaneous requests to arrive: in turns of the event loop, of which a busy machine takes no fewer. */
function afterTurns(answer: () => void, turns = 200): void {
  if (turns === 0) answer();
  else setImmediate(afterTurns, answer, turns - 1);
}

const readLedger = ({ read }: CallService<string>) =>
  read("SELECT run_id, status, not_before FROM sync_runs");

describe("sync of a service that answers 429", () => {
  it("sends fewer requests at the same time afterwards, and gradually more again", async () => {
    const peaks: number[] = [];
    const refusals: (() => void)[] = [];
    let open = 0;
    const counted =
      (hold: (answer: () => void) => void, answer: Answer): Answer =>
      (request, response) => {
        peaks.push(++open);
        hold(() => {
          open--;
          answer(request, response);
        });
      };
    await using service = await startRowService(rowsOf(1, 700), (asked) => {
      if (asked.before < 1 || asked.before > 8) return counted(afterTurns, asked.honest);
      // The page at 0 is read alone; then eight are requested, and once all have arrived, all are refused.
      return counted((refuse) => {
        if (refusals.push(refuse) === 8) for (const each of refusals) each();
      }, busy("2"));
    });
    const clock = new FakeClock();
    const run = await service.sync({ concurrency: 8, clock });
    expect(run).toMatchObject({ verdict: "exact", calls_read: 700, retries: 8, not_before: null });
    expect(clock.sleeps).toEqual(Array<number>(8).fill(2000));
    expect(peaks.slice(0, 9)).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8]);
    // Eight waiting ones succeed; then one, two, three, … run at the same time, one more for each ten responses.
    expect(Math.max(...peaks.slice(20, 27))).toBeLessThanOrEqual(3);
    expect(Math.max(...peaks.slice(45))).toBeGreaterThan(3);
  });

  it("sends nothing until the requested time, then continues", async () => {
    const clock = new FakeClock("2026-11-20T15:00:00.000Z");
    await using service = await startRowService(rowsOf(1, 60), ({ before }) =>
      before === 3 ? busy("3600") : undefined,
    );
    const options = { concurrency: 1, clock };
    await expect(service.sync(options)).rejects.toMatchObject({
      exitCode: 5,
      message: "The API returned 429: Too many, and asks for a pause until 2026-11-20T16:00:00.000Z",
    });
    expect(clock.sleeps).toEqual([]);
    const failed = { run_id: 1, status: "failed", not_before: "2026-11-20T16:00:00.000Z" };
    expect(readLedger(service)).toEqual([failed]);
    expect(service.readIds()).toHaveLength(40);

    const sent = service.requests.length;
    clock.advance(3_599_999);
    await expect(service.sync(options)).rejects.toMatchObject({
      exitCode: 5,
      message: "The API asked for a pause until 2026-11-20T16:00:00.000Z: no request was sent",
    });
    expect(service.requests).toHaveLength(sent);
    expect(readLedger(service)).toEqual([failed]);

    clock.advance(1);
    expect(await service.sync(options)).toMatchObject({
      run_id: 1,
      resumed: 1,
      verdict: "exact",
      calls_read: 60,
      not_before: null,
      error: null,
    });
  });

  it("ignores a pause that was requested while the clock was years ahead", async () => {
    await using service = await startRowService(rowsOf(1, 60), ({ before }) =>
      before === 0 ? busy("3600") : undefined,
    );
    const ahead = new FakeClock("2031-11-20T15:00:00.000Z");
    await expect(service.sync({ clock: ahead })).rejects.toMatchObject({ exitCode: 5 });
    const until = "2031-11-20T16:00:00.000Z";
    expect(readLedger(service)).toEqual([{ run_id: 1, status: "failed", not_before: until }]);
    const clock = new FakeClock("2026-11-20T15:00:00.000Z");
    expect(await service.sync({ clock })).toMatchObject({
      verdict: "exact",
      calls_read: 60,
    });
  });
});

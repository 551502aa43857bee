import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markProcess } from "../../../src/base/process-mark.ts";
import { BRIEF_RETRY } from "../../../src/reports/delivery/deliver.ts";
import { readDeliveries } from "../../../src/reports/delivery/delivery-table.ts";
import type { DeliveryTarget } from "../../../src/reports/delivery/delivery-target.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { endedProcess } from "../../support/processes.ts";
import { type Answer, json, startServer, text } from "../../support/services/server.ts";
import { commandTo, emailTo, hookTo, makeRun, send, smtpAt } from "./report.ts";

const BUSY = text("", 503);

describe("deliver", () => {
  it("sends once to each recipient, in the order of the targets, in any number of calls", async () => {
    using run = makeRun();
    await using server = await startServer(json({}));
    const [a, b] = [hookTo(server.url), hookTo(new URL("http://localhost:1"))];
    const targets = [b, a, commandTo("exit 1", run.folder), a];
    const results = await send(run, targets);
    expect(results.map(({ channel, status, attempts }) => [channel, status, attempts])).toEqual([
      ["webhook", "failed", 3],
      ["webhook", "delivered", 1],
      ["command", "failed", 1],
    ]);
    expect(await send(run, targets)).toEqual(results);
    expect(server.requests).toHaveLength(1);
  });

  it("sends once when two calls run at the same time", async () => {
    using run = makeRun();
    await using server = await startServer(json({}));
    await Promise.all([send(run, [hookTo(server.url)]), send(run, [hookTo(server.url)])]);
    expect(server.requests).toHaveLength(1);
    const [entry] = readDeliveries(run.warehouse, run.runId);
    expect(entry).toMatchObject({ status: "delivered", last_error: null });
  });

  const busyFor = (seconds: string, status = 503) => text("", status, { "retry-after": seconds });

  it.each<[sleeps: number[], status: string, attempts: number, ...answers: Answer[]]>([
    [[20_000, 2000], "delivered", 3, busyFor("20", 429), BUSY, json({})],
    [[1000, 2000], "failed", 3, BUSY],
    [[], "failed", 1, text("", 404)],
    [[30_000], "failed", 2, busyFor("30"), busyFor("1")],
    [[], "failed", 1, busyFor("31")],
  ])(
    "retries three times within 30 seconds: waits %j, then %s",
    async (sleeps, status, attempts, ...answers) => {
      using run = makeRun();
      const clock = new FakeClock();
      await using server = await startServer(...answers);
      expect(await send(run, [hookTo(server.url)], { clock })).toMatchObject([{ status, attempts }]);
      expect(clock.sleeps).toEqual(sleeps);
      const { finished_at, started_at } = readDeliveries(run.warehouse, run.runId)[0] ?? {};
      expect(started_at).toBe("2026-11-20T15:00:00.000Z");
      expect(finished_at).toBe(new Date(clock.now()).toISOString());
    },
  );

  it("waits at most an hour if a server requests more", async () => {
    using run = makeRun();
    const clock = new FakeClock();
    await using server = await startServer(text("", 503, { "retry-after": "9999999" }), json({}));
    const retry = { ...BRIEF_RETRY, budgetMs: Number.POSITIVE_INFINITY };
    await send(run, [hookTo(server.url)], { clock, retry });
    expect(clock.sleeps).toEqual([3_600_000]);
  });

  it("leaves temporary refusals to later calls until the maximum number of attempts", async () => {
    using run = makeRun();
    await using server = await startServer(BUSY);
    const call = (attemptsInAll: number) => send(run, [hookTo(server.url)], { attemptsInAll });
    const last_error = expect.stringContaining("503");
    expect(await call(6)).toMatchObject([{ status: "pending", attempts: 3, last_error }]);
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject([{ finished_at: null }]);
    expect(await call(6)).toMatchObject([{ status: "failed", attempts: 6, last_error }]);
    expect(await call(6)).toMatchObject([{ status: "failed", attempts: 6, last_error }]);
  });

  it("stops when the signal aborts, and leaves unsent deliveries to the next call", async () => {
    using run = makeRun();
    const stop = new AbortController();
    const clock = new FakeClock();
    clock.onSleep = () => stop.abort(new Error("stopped"));
    await using server = await startServer(BUSY, json({}));
    const targets = [hookTo(server.url)];
    const pending = { status: "pending", attempts: 1 };
    expect(await send(run, targets, { signal: stop.signal, clock })).toMatchObject([pending]);
    expect(await send(run, targets, { signal: stop.signal, clock })).toMatchObject([pending]);
    expect(await send(run, targets)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  it("sends four requests at a time", async () => {
    using run = makeRun();
    let [now, most] = [0, 0];
    const held: (() => void)[] = [];
    await using server = await startServer((_request, response) => {
      most = Math.max(most, ++now);
      held.push(() => {
        now -= 1;
        response.end();
      });
      if (held.length >= 4) for (const end of held.splice(0)) setImmediate(end);
    });
    const targets = Array.from({ length: 12 }, (_, index): DeliveryTarget => {
      return { channel: "webhook", url: new URL(`/${index}`, server.url) };
    });
    const statuses = (await send(run, targets)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["delivered"]));
    expect(most).toBe(4);
  });

  it("keeps secrets of the run, and those of its address, out of the ledger", async () => {
    using run = makeRun();
    await using server = await startServer(text("busy, TOKEN-OF-21 and TOKEN abc", 503));
    const secrets = ["TOKEN", "TOKEN-OF-21", "abc"];
    const masked = expect.stringMatching(/returned 503: busy, \[secret\] and \[secret\] abc$/);
    expect(await send(run, [hookTo(server.url)], { secrets })).toMatchObject([{ last_error: masked }]);
  });

  it("records an error before sending as failed, only for its recipient", async () => {
    using run = makeRun();
    writeFileSync(join(run.folder, "channel.csv"), "of another run");
    await using server = await startServer(json({}));
    const results = await send(run, [emailTo(["ann@example.com"], smtpAt(1)), hookTo(server.url)]);
    expect(results).toMatchObject([
      { status: "failed", attempts: 1, last_error: expect.stringContaining("is not what the report wrote") },
      { status: "delivered" },
    ]);
  });

  it("throws and sends nothing if a placeholder of any target has no value", async () => {
    using run = makeRun();
    await using server = await startServer(json({}));
    const dated = { ...emailTo(["ann@example.com"], smtpAt(1)), subject: "{date}" };
    await expect(send(run, [hookTo(server.url), dated])).rejects.toThrow("Cannot use {date}");
    const two = { ...run.summary, files: [run.summary.files, run.summary.files].flat() };
    const copied = commandTo("cp {file} /", run.folder);
    await expect(send({ ...run, summary: two }, [hookTo(server.url), copied])).rejects.toThrow(
      "Cannot use {file}",
    );
    expect(server.requests).toEqual([]);
    expect(readDeliveries(run.warehouse, run.runId)).toEqual([]);
  });

  it("throws if the ledger cannot be written", async () => {
    using run = makeRun();
    await using server = await startServer((_request, response) => {
      run.warehouse.sqlite.exec("DROP TABLE deliveries");
      response.end();
    });
    await expect(send(run, [hookTo(server.url)])).rejects.toThrow("no such table: deliveries");
  });

  it("removes folders of killed processes, and no others", async () => {
    using run = makeRun();
    const folderOf = (mark: string) => join(run.folder, `.calls.db.delivery-${mark}-1`);
    const [left, used, other] = [
      folderOf(endedProcess()),
      folderOf(`${markProcess()}`),
      join(run.folder, "x"),
    ];
    for (const folder of [left, used, other]) mkdirSync(join(folder, "weekly"), { recursive: true });
    await send(run, []);
    expect([left, used, other].map(existsSync)).toEqual([false, true, true]);
  });
});

import { describe, expect, it } from "vitest";
import { type Answer, json, reset } from "../support/bad-server.ts";
import { callOf, type ServedCall, startListService } from "../support/list-service.ts";
import { page, rowOf, rowsOf, serverError, startRowService, TOKEN } from "../support/row-service.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/**
 * Starts a service that counts the requests under way. It fails on one row, has one that is not JSON, and removes calls
 * before the third page, so that pages are read in pieces and a seam is mended.
 */
async function startCountingService() {
  const counted = { most: 0, pieces: 0 };
  let underWay = 0;
  const rows = rowsOf(1, 200).with(149, rowOf(150).replace(":60", ":6 0"));
  const service = await startRowService(rows, (asked) => {
    counted.most = Math.max(counted.most, ++underWay);
    if (asked.limit < 20) counted.pieces++;
    if (asked.before === 2) service.rows.splice(0, 15);
    const served = service.rows.slice(asked.offset, asked.offset + asked.limit);
    const isBad = served.includes(rowOf(120));
    return (request, response) => {
      setTimeout(() => {
        underWay--;
        const answer = isBad ? serverError : page({ ...asked, rows: served }, service.rows.length);
        answer(request, response);
      }, 5);
    };
  });
  return Object.assign(service, { counted });
}

/**
 * Starts a service that counts the requests under way. Two of its calls have changed places, so that the walk begins anew in the
 * order by source while further pages are planned; it refuses one request, and cuts the connection of another.
 */
async function startDisorderedService() {
  const counted = { most: 0, sorted: 0 };
  let underWay = 0;
  const calls = Array.from({ length: 120 }, (_, index) =>
    callOf(120 - index, index, { insight_name: `Source ${index % 9}` }),
  );
  const own = calls.with(50, calls[90] ?? callOf(0, 0)).with(90, calls[50] ?? callOf(0, 0));
  const bySource = calls.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const service = await startListService(own, ({ offset, limit, sort, before }) => {
    counted.most = Math.max(counted.most, ++underWay);
    if (sort !== undefined) counted.sorted++;
    const rows = (sort === "source_name asc" ? bySource : own).slice(offset, offset + limit);
    const data = { calls: rows, total: 120, limit, offset };
    const honest = json({ code: 200, message: "Success", data, request_id: `request-${before}` });
    const answer: Answer = before === 2 ? json({}, 429) : before === 4 ? reset : honest;
    return (request, response) => {
      setTimeout(() => {
        underWay--;
        answer(request, response);
      }, 40);
    };
  });
  return Object.assign(service, { counted });
}

function nameOf({ insight_name }: ServedCall): string {
  return String(insight_name);
}

describe("calltally sync", () => {
  it.each([
    { concurrency: 1, title: "one request at a time" },
    { concurrency: 3, title: "three at once" },
  ])(
    "with --concurrency $concurrency sends $title, whatever has to be read again",
    async ({ concurrency }) => {
      using folder = makeTempFolder();
      await using service = await startCountingService();
      const { code, stdout } = await calltally(
        ["sync", "--json", "--limit", "20", "--concurrency", String(concurrency)],
        {
          cwd: folder.path,
          env: {
            CALLTALLY_BASE_URL: service.url.href,
            CALLTALLY_TOKEN: TOKEN,
            CALLTALLY_RETRY_SECONDS: "0",
          },
        },
      );
      expect(code).toBe(3);
      const run = JSON.parse(stdout);
      expect(run).toMatchObject({ calls_rejected: 2 });
      expect(run.seams_mended).toBeGreaterThan(0);
      expect(service.counted.pieces).toBeGreaterThan(10);
      expect(service.counted.most).toBe(concurrency);
    },
  );

  it("with --concurrency 1 sends one request at a time, where the walk begins anew in another order", async () => {
    using folder = makeTempFolder();
    await using service = await startDisorderedService();
    const env = { CALLTALLY_BASE_URL: service.url.href, CALLTALLY_TOKEN: TOKEN };
    const run = (...args: string[]) => calltally(args, { cwd: folder.path, env });
    const { code, stdout } = await run("sync", "--json", "--limit", "20", "--concurrency", "1");
    expect({ code, run: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      run: { verdict: "exact", sort: "source_name asc", retries: 2 },
    });
    expect(service.counted.sorted).toBeGreaterThan(5);
    expect((await run("doctor")).code).toBe(0);
    expect(service.counted.most).toBe(1);
  });

  it.each([
    { title: "--limit 1", args: ["--limit", "1"], env: {} },
    { title: "CALLTALLY_LIMIT=1", args: [], env: { CALLTALLY_LIMIT: "1" } },
  ])("with $title is refused with the reason, and sends nothing", async ({ args, env }) => {
    using folder = makeTempFolder();
    await using service = await startRowService(rowsOf(1, 5));
    const run = (given: string[], limit: Record<string, string>) =>
      calltally(["sync", ...given], {
        cwd: folder.path,
        env: { CALLTALLY_BASE_URL: service.url.href, CALLTALLY_TOKEN: TOKEN, ...limit },
      });
    const refused = await run(args, env);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("must be 2 at the least: a page of one call cannot overlap the next");
    expect(service.requests).toEqual([]);
    const least = await run(["--limit", "2"], {});
    expect(least).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}read +5 .*counts 5$/m) });
  });
});

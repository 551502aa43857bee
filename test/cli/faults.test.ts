import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json } from "../support/bad-server.ts";
import {
  failsOn,
  type RowService,
  rowsOf,
  serverError,
  startRowService,
  TOKEN,
} from "../support/row-service.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds, readRows } from "../support/warehouse.ts";

const SMALL_PAGES = { CALLTALLY_LIMIT: "20", CALLTALLY_CONCURRENCY: "1", CALLTALLY_RETRY_SECONDS: "1" };

const optionsFor = (service: RowService, cwd: string) => ({
  cwd,
  env: { ...settingsFor({ url: service.url.origin, token: TOKEN }), ...SMALL_PAGES },
});

const databaseOf = (folder: string) => join(folder, "data/calltally.db");

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("sync, of a failing service", () => {
  it("ends with 3 when the service fails on one row, and status tells of it", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(rowsOf(1, 30), failsOn([7]));
    const { cwd, env } = optionsFor(service, folder.path);
    // Each piece is tried once, since the waits between would be real ones.
    const options = { cwd, env: { ...env, CALLTALLY_RETRY_SECONDS: "0" } };
    for (const runs of [1, 2]) {
      const { code, stdout, stderr } = await calltally(["sync"], options);
      expect({ code, stderr, runs }).toEqual({ code: 3, stderr: "", runs });
      expect(stdout).toMatch(/rejected +1 {3}kept aside: see calltally status/);
      expect(stdout).toMatch(
        /verdict {3}unverified: \d+ pages? had to be read in pieces: 29 calls read, total 30/,
      );
    }
    const status = await calltally(["status"], options);
    expect(status.stdout).toContain("Rejected   1 row, in the table rejected_calls");
    expect(status.stdout).toContain("the service fails on the row at offset 6: The API returned 500");
    expect(readIds(databaseOf(folder.path))).toEqual([...range(1, 6), ...range(8, 30)]);
  });

  it("ends with 5 after a few requests when the service fails on all, with nothing quarantined", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(rowsOf(1, 30), () => serverError);
    const options = optionsFor(service, folder.path);
    const { code, stdout, stderr } = await calltally(["sync"], options);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toMatch(
      /^calltally: The API returned 500 \(\d+ bytes\)\nThe service is failing or busy: try again later\.\n$/,
    );
    expect(service.requests.length).toBeLessThanOrEqual(8);
    const status = JSON.parse((await calltally(["status", "--json"], options)).stdout);
    expect(status).toMatchObject({ calls: { live: 0 }, runs: [{ status: "failed" }], rejected: [] });
  });

  it("ends with 4 at once for a token refused in mid-run, keeps the pages before, and shows it nowhere", async () => {
    using folder = makeTempFolder();
    const refused = json({ code: 401, message: `No such token: ${TOKEN}`, request_id: TOKEN }, 401);
    await using service = await startRowService(rowsOf(1, 100), ({ before }) =>
      before >= 4 ? refused : undefined,
    );
    const options = optionsFor(service, folder.path);
    const { code, stdout, stderr } = await calltally(["sync"], options);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain("The API refused the token, status 401 (request [token], ");
    // Each page is 10 rows on; one more may be under way when the refusal comes.
    expect(readIds(databaseOf(folder.path))).toEqual(range(1, 50));
    expect(service.requests.length).toBeLessThanOrEqual(6);

    const status = await calltally(["status", "--json"], options);
    expect(JSON.parse(status.stdout)).toMatchObject({
      runs: [{ status: "failed", verdict: null, retries: 0, error: expect.stringContaining("status 401") }],
    });
    for (const said of [stderr, status.stdout, status.stderr]) expect(said).not.toContain(TOKEN);
    const files = readdirSync(join(folder.path, "data"));
    expect(files).toContain("calltally.db");
    for (const file of files) {
      expect(readFileSync(join(folder.path, "data", file)).includes(TOKEN), file).toBe(false);
    }

    service.disturb = () => undefined;
    expect(await calltally(["sync"], options)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("exact: "),
    });
    expect(readIds(databaseOf(folder.path))).toEqual(range(1, 100));
  });
});

describe("sync, of a busy service", () => {
  const busy = (retryAfter: string) =>
    json({ code: 429, message: "Too many" }, 429, { "retry-after": retryAfter });

  it("waits as long as it is asked to, and completes", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(rowsOf(1, 60), ({ before }) =>
      before === 2 ? busy("1") : undefined,
    );
    const options = optionsFor(service, folder.path);
    const env = { ...options.env, CALLTALLY_RETRY_SECONDS: "60" };
    const startedMs = Date.now();
    const { code, stdout } = await calltally(["sync", "--json"], { ...options, env });
    expect(Date.now() - startedMs).toBeGreaterThan(1000);
    expect({ code, run: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      run: { verdict: "exact", calls_read: 60, retries: 1, not_before: null },
    });
  });

  it("ends with 5 at once when it is to wait for longer than it may, and sends nothing until then", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(rowsOf(1, 60), ({ before }) =>
      before === 2 ? busy("3600") : undefined,
    );
    const options = optionsFor(service, folder.path);
    const beforeMs = Date.now();
    const { code, stdout, stderr } = await calltally(["sync"], options);
    const afterMs = Date.now();
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    const [until = ""] = /(?<=asks for a pause until )\S+Z/.exec(stderr) ?? [];
    expect(Date.parse(until)).toBeGreaterThan(beforeMs + 3_600_000);
    expect(Date.parse(until)).toBeLessThanOrEqual(afterMs + 3_600_000);
    const ledger = "SELECT run_id, status, substr(not_before, 1, 16) AS not_before FROM sync_runs";
    const failed = [{ run_id: 1, status: "failed", not_before: until.slice(0, 16) }];
    expect(readRows(databaseOf(folder.path), ledger)).toEqual(failed);

    const requests = service.requests.length;
    for (const flags of [[], ["--full"]]) {
      const again = await calltally(["sync", ...flags], options);
      expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 5, stdout: "" });
      expect(again.stderr).toContain(`The API asked for a pause until ${until.slice(0, 16)}`);
      expect(again.stderr).toContain("no request was sent");
    }
    expect(service.requests).toHaveLength(requests);
    expect(readRows(databaseOf(folder.path), ledger)).toEqual(failed);
  });
});

describe("status, after odd values", () => {
  it("shows numbers in place of text, unknown members, and the digits of an id too large to keep", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService([
      '{"call_id":1,"caller_id":491234,"dni_data":{"gclid":7,"msclkid":"m"}}',
      '{"call_id":9007199254740993,"duration":61}',
    ]);
    const options = optionsFor(service, folder.path);
    expect((await calltally(["sync"], options)).code).toBe(3);
    const { code, stdout } = await calltally(["status"], options);
    expect(code).toBe(0);
    expect(stdout).toContain("call_id: 9007199254740993 is beyond 2^53 − 1 and would be rounded");
    expect(stdout).toContain(`Drift      3 members not as documented, in schema_drift
           caller_id: number where text is promised
           dni_data.gclid: number where text is promised
           dni_data.msclkid: not documented, kept in extra
`);
    const { rejected } = JSON.parse((await calltally(["status", "--json"], options)).stdout);
    expect(rejected).toMatchObject([{ json: '{"call_id":9007199254740993,"duration":61}', path: "call_id" }]);
  });
});

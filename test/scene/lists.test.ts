import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { readPage } from "../features/explore/read-page.ts";
import { readCsv } from "../support/page.ts";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, RANGE, type SceneAccount } from "../support/scene/accounts.ts";
import { buildScene, openScene } from "../support/scene/build.ts";
import { addDays, onTheWall, startOf } from "../support/scene/clock.ts";
import { figuresOf } from "../support/scene/oracle.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { storeCalls } from "../support/warehouses/warehouse.ts";

/** Runs `export` for an account of the scene; returns the text of a file. */
async function write(name: string, file: string, ...args: string[]): Promise<string> {
  using folder = makeTempFolder();
  const options = ["--account", name, "--out", folder.path];
  const { code, stderr } = await calltally(["export", ...args, ...options], { cwd: openScene().folder });
  if (code !== 0) throw new Error(`export ${args.join(" ")} exits with ${code}: ${stderr}`);
  return readFileSync(join(folder.path, file), "utf8");
}

const DAYS = ["--from", RANGE.from, "--to", RANGE.to];

/** Calls of the days that the service still lists, oldest first. */
function callsOf({ calls, gone, timezone }: SceneAccount) {
  const [from, end] = [startOf(RANGE.from, timezone), startOf(addDays(RANGE.to, 1), timezone)];
  return calls
    .filter(
      ({ call_id, call_started }) =>
        !gone.has(call_id) && call_started !== null && call_started >= from && call_started < end,
    )
    .toSorted((a, b) => (String(a.call_started) < String(b.call_started) ? -1 : 1));
}

describe("options of files change what the oracle says", () => {
  it.each(ACCOUNTS)(
    "the list of calls of $name has its calls, local times and private columns",
    async (account) => {
      const rows = readCsv(await write(account.name, "calls.csv", "calls", ...DAYS, "--with", "caller_id"));
      const expected = callsOf(account);
      expect(rows.map((row) => [row.call_id, row.caller_id]).sort()).toEqual(
        expected.map(({ call_id, caller_id }) => [call_id, caller_id]).sort(),
      );
      const wall = new Map(
        expected.map(({ call_id, call_started }) => {
          const { day, time } = onTheWall(call_started ?? "", account.timezone);
          return [call_id, `${day} ${time}`];
        }),
      );
      for (const row of rows) expect(String(row.call_started_local)).toContain(wall.get(Number(row.call_id)));
    },
  );

  it.each(ACCOUNTS)(
    "the list of calls of $name has those of two callers, in other spellings",
    async (account) => {
      const listed = callsOf(account);
      const numbers = listed.flatMap(({ caller_id }) => (caller_id?.startsWith("+") ? [caller_id] : []));
      const callers = [numbers.at(3) ?? "", numbers.at(-2) ?? ""];
      const spelled = callers.flatMap((number) => [
        "--caller",
        `${number.slice(0, 3)} (${number.slice(3, 6)}) ${number.slice(6)}`,
      ]);
      const rows = readCsv(await write(account.name, "calls.csv", "calls", ...DAYS, ...spelled));
      const expected = listed.filter(({ caller_id }) => callers.includes(caller_id ?? ""));
      expect(rows.map(({ call_id }) => call_id)).toEqual(expected.map(({ call_id }) => call_id));
      expect(new Set(expected.map(({ caller_id }) => caller_id)).size).toBe(2);
      expect(expected.length).toBeLessThan(listed.length);
    },
  );

  it.each(ACCOUNTS)("the page to explore of $name lists its calls with --rows", async (account) => {
    using folder = makeTempFolder();
    const days = ["--account", account.name, ...DAYS, "--out", folder.path];
    const read = async (...args: string[]) => {
      const { code, stderr } = await calltally(["report", "--explore", ...days, ...args], {
        cwd: openScene().folder,
      });
      if (code !== 0) throw new Error(`report --explore exits with ${code}: ${stderr}`);
      const { columns, values } = readPage(join(folder.path, "explore.html")).data;
      const ids = [...(columns.get("call.call_id") ?? [])].map((place) => values["call.call_id"]?.[place]);
      const times = [...(columns.get("call.call_started_local") ?? [])];
      return ids.map((id, row) => [id, values["call.call_started_local"]?.[times[row] ?? 0]]);
    };
    expect(await read()).toEqual([]);
    const expected = callsOf(account).map(({ call_id, call_started }) => {
      const { day, time } = onTheWall(call_started ?? "", account.timezone);
      return [call_id, `${day} ${time}`];
    });
    expect((await read("--rows")).sort()).toEqual(expected.sort());
  });

  it.each(ACCOUNTS)("share-safe files of $name fold rows of few calls", async (account) => {
    const whole = figuresOf(account, { by: ["source"], range: RANGE });
    const least = 5;
    const rows = readCsv(
      await write(account.name, "source.csv", "source", ...DAYS, "--min-cell", String(least)),
    );
    const large = whole
      .filter(({ calls }) => Number(calls) >= least)
      .map(({ source, calls }) => [source, calls]);
    expect(large.length).toBeLessThan(whole.length);
    expect(
      rows.filter(({ source }) => source !== "(other)").map(({ source, calls }) => [source, calls]),
    ).toEqual(large);
  });

  it("changes have a mark of chance: a call more or less is within it", async () => {
    for (const { name } of ACCOUNTS) {
      const rows = readCsv(
        await write(name, "source.csv", "source", ...DAYS, "--compare", "previous", "--chance"),
      );
      const marks = rows
        .filter((row) => row.calls_change !== null)
        .map((row) => [
          Math.abs(Number(row.calls) - Number(row.calls_previous)) <= 1,
          row.calls_within_chance,
        ]);
      expect(marks.filter(([isSmall, mark]) => isSmall && mark === 0)).toEqual([]);
      expect(marks.flat()).toContain(1);
    }
  });

  it("rows compared with a row have the difference of the oracle's rates", async () => {
    for (const account of ACCOUNTS) {
      const expected = figuresOf(account, { by: ["channel"], range: RANGE });
      const [other, ...more] = expected.map(({ channel }) => String(channel));
      const versus = more[0] ?? String(other);
      const text = await write(account.name, "channel.csv", "channel", ...DAYS, "--versus", versus);
      const named = expected.find(({ channel }) => channel === versus);
      const ten = (rate: unknown) => Math.round(10_000 * Number(rate));
      expect(readCsv(text).map((row) => [row.channel, row.answer_rate_versus])).toEqual(
        expected.map(({ channel, answer_rate: rate }) => [
          channel,
          channel === versus ? null : (ten(rate) - ten(named?.answer_rate)) / 10_000,
        ]),
      );
    }
  });

  it("delimiter and profile write the same rows", async () => {
    for (const [place, delimiter] of [";", "|", "tab"].entries()) {
      const account = ACCOUNTS[place];
      if (account === undefined) throw new Error("There are three accounts");
      const text = await write(
        account.name,
        "source.csv",
        "source",
        ...DAYS,
        "--columns",
        "calls",
        "--delimiter",
        delimiter,
      );
      const expected = figuresOf(account, { by: ["source"], range: RANGE });
      const sign = delimiter === "tab" ? "\t" : delimiter;
      expect(text.trim().split("\r\n").slice(1)).toEqual(
        expected.map(({ source, calls }) => `${source}${sign}${calls}`),
      );
      const times = await write(
        account.name,
        "source.csv",
        "source",
        ...DAYS,
        "--columns",
        "first_call_at",
        "--profile",
        "excel",
      );
      const wall = expected.map(({ source, first_call_at }) => {
        const { day, time } = onTheWall(String(first_call_at), account.timezone);
        return `${source},${day} ${time}`;
      });
      expect(times.trim().split("\r\n").slice(1)).toEqual(wall);
    }
  });

  it("changed calls are those of the run that has not ended", async () => {
    // The first export of a scene applies the rules, which changes all calls: then, the late ones change.
    const scene = buildScene();
    for (const { name, calls } of ACCOUNTS) {
      const list = ["export", "calls", "--account", name];
      const read = async (...args: string[]) => {
        using folder = makeTempFolder();
        const { code, stderr } = await calltally([...list, ...args, "--out", folder.path], {
          cwd: scene.folder,
        });
        if (code !== 0) throw new Error(`export calls exits with ${code}: ${stderr}`);
        return readCsv(readFileSync(join(folder.path, "calls.csv"), "utf8")).map(({ call_id }) => call_id);
      };
      const all = await read();
      const late = calls.filter(({ call_started }) => (call_started ?? "") > "2026-04-08T05:50");
      {
        using warehouse = openExistingWarehouse(scene.databaseOf(name));
        warehouse.sqlite.exec(
          "UPDATE sync_runs SET moment_ms = (SELECT max(changed_ms) FROM call_facts) WHERE run_id = 1",
        );
        storeCalls(
          warehouse,
          late.map((call) => ({ ...call, duration: 97 })),
          { runId: 2 },
        );
      }
      expect(await read("--changed-since", "1")).toEqual(late.map(({ call_id }) => call_id));
      expect([late.length > 0, all.length > 100]).toEqual([true, true]);
    }
  });
});

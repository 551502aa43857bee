import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, RANGE, type SceneAccount } from "../support/scene/accounts.ts";
import { askScene } from "../support/scene/ask.ts";
import { openScene } from "../support/scene/build.ts";
import { onTheWall } from "../support/scene/clock.ts";
import { missingOf } from "../support/scene/missing.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Runs a command that prints JSON. */
async function ask(exit: number, ...args: string[]) {
  const { code, stdout, stderr } = await calltally([...args, "--json"], { cwd: openScene().folder });
  if (code !== exit) throw new Error(`${args.join(" ")} exits with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

it.each(ACCOUNTS)(
  "figures of $name say how many calls are missing, and until when they count",
  async (account) => {
    const since = [...missingOf(account).values()].toSorted();
    const { day, time } = onTheWall(since.at(-1) ?? "", account.timezone);
    const { manifest } = await askScene(account.name, { by: ["channel"], range: RANGE });
    const [statement, ...others] = manifest.statements.filter(({ id }) => id === "missing");
    expect(others).toEqual([]);
    expect(statement?.values.calls).toBe(since.length);
    const [, shownDay, shownMonth, clock] =
      /^(\d+) (\w+) 2026 (\d\d:\d\d) /.exec(String(statement?.values.until)) ?? [];
    expect([shownDay, shownMonth, clock]).toEqual([String(Number(day.slice(8))), "Apr", time.slice(0, 5)]);
  },
);

it.each(ACCOUNTS)(
  "explain lists the calls of a number of $name, gone and missing ones too",
  async (account) => {
    const { name, calls, gone } = account;
    const missing = missingOf(account);
    const isNumber = (caller: string | null) => caller?.startsWith("+") ?? false;
    const callers = [...gone, ...missing.keys()].map(
      (id) => calls.find(({ call_id }) => call_id === id)?.caller_id,
    );
    const numbers = new Set(callers.filter((caller) => caller != null && isNumber(caller)));
    expect(numbers.size).toBeGreaterThan(4);
    for (const number of numbers) {
      const { total, calls: listed } = await ask(0, "explain", String(number), "--account", name);
      const expected = calls
        .filter(({ caller_id }) => caller_id === number)
        .toSorted((a, b) => (String(a.call_started) < String(b.call_started) ? 1 : -1));
      expect(total).toBe(expected.length);
      expect(
        listed.map((call: Record<string, unknown>) => [
          call.call_id,
          call.call_started,
          call.duration,
          call.disposition,
          call.gone_at !== null,
        ]),
      ).toEqual(
        expected.map(({ call_id, call_started, duration, disposition }) => [
          call_id,
          call_started,
          duration,
          disposition,
          gone.has(call_id),
        ]),
      );
    }
  },
);

/** The calls of the days, in the account's own zone, of which a list may have some. */
function callsOfDays({ calls, timezone }: SceneAccount) {
  return calls.flatMap(({ call_id, call_started, duration }) => {
    if (call_started === null) return [];
    const { day, time } = onTheWall(call_started, timezone);
    return day < RANGE.from || day > RANGE.to ? [] : [{ call_id, day, time, duration }];
  });
}

it.each(ACCOUNTS)(
  "reconcile finds what a list of $name and the copy do not both have, and why",
  async (account) => {
    const { name, gone } = account;
    const missing = missingOf(account);
    const other = ACCOUNTS.find((each) => each.name !== name) ?? account;
    const there = callsOfDays(account).filter(({ call_id }) => !gone.has(call_id) && !missing.has(call_id));
    const lost = callsOfDays(account).filter(({ call_id }) => gone.has(call_id));
    // The longest come first: each of the first three has a duration.
    const [unlisted, later, longer, ...listed] = there.toSorted(
      (a, b) => Number(b.duration) - Number(a.duration),
    );
    const rows = [
      ...listed.map(({ call_id, day, time, duration }) => [call_id, `${day} ${time}`, duration]),
      ...lost.map(({ call_id, day, time }) => [call_id, `${day} ${time}`, ""]),
      [later?.call_id, `${later?.day} 05:43:21`, later?.duration],
      [longer?.call_id, `${longer?.day} ${longer?.time}`, 123_456],
      [callsOfDays(other).find(({ call_id }) => !other.gone.has(call_id))?.call_id, "", ""],
      [99_999_999, `${RANGE.to} 12:00:00`, 12],
    ];
    using folder = makeTempFolder();
    const list = join(folder.path, "list.csv");
    writeFileSync(list, ["call_id,call_started,duration", ...rows.map((row) => row.join(","))].join("\n"));
    const days = ["--from", RANGE.from, "--to", RANGE.to];
    const files = ["--differences", join(folder.path, "differences.csv")];
    const found = await ask(3, "reconcile", list, "--account", name, ...days, ...files);
    expect(unlisted).toBeDefined();
    const missingThere = callsOfDays(account).filter(({ call_id }) => missing.has(call_id));
    expect(missingThere.length).toBeGreaterThan(1);
    expect(found.differences).toEqual({
      not_in_copy: 1,
      gone: lost.length,
      other_account: 1,
      not_in_list: 1,
      missing: missingThere.length,
      start: 1,
      duration: 1,
    });
    expect(found.calls).toMatchObject({ in_the_list: rows.length, on_both_sides: listed.length + 2 });
  },
);

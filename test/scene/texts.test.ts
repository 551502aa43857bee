import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readSeenLines, readTables } from "../support/page.ts";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, accountNamed, RANGE } from "../support/scene/accounts.ts";
import { openScene } from "../support/scene/build.ts";
import { figuresOf } from "../support/scene/oracle.ts";
import { answering } from "../support/services/mcp.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/*
 * What surfaces say and how it is laid out; their figures are those of the oracle in other tests. After a change that is
 * meant, `npx vitest run test/scene --update` writes the files again: read their diff.
 */

const DAYS = ["--from", RANGE.from, "--to", RANGE.to];

beforeAll(() => void openScene());

/** Runs a command on the accounts of the scene; returns both of its streams. */
async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await calltally(args, { cwd: openScene().folder });
  if (code !== 0) throw new Error(`${args.join(" ")} exits with ${code}: ${stdout}${stderr}`);
  return stdout;
}

it("the page of charts says what it said", async () => {
  using folder = makeTempFolder();
  await say("report", "--account", "chicago", ...DAYS, "--out", folder.path);
  const page = readFileSync(join(folder.path, "report.html"), "utf8");
  await expect(
    readSeenLines(page)
      .join("\n")
      .replace(/\b[0-9a-f]{64}\b/, "…"),
  ).toMatchFileSnapshot("golden/page-chicago.txt");
});

it("the overview has the figures of the oracle, and says what it said", async () => {
  const asked = { by: ["source"], range: RANGE, compare: "previous", total: true } as const;
  const expected = ACCOUNTS.map((account) => {
    const [row = {}] = figuresOf(account, { ...asked, spend: true, outcomes: true }).slice(-2);
    const share = Math.round((1e4 * Number(row.missed_calls)) / Number(row.calls)) / 1e4;
    const calls = [row.calls, row.calls_change, row.calls_previous];
    const figures = [...calls, share, row.qualified_calls, row.cost, row.revenue];
    return [account.name, ...figures];
  });
  using folder = makeTempFolder();
  await say("report", "--overview", ...DAYS, "--out", folder.path);
  const page = readFileSync(join(folder.path, "overview.html"), "utf8");
  const [{ rows } = { rows: [] }] = readTables(page);
  const shown = rows
    .filter((row) => row.length > 1)
    .map(([name, ...cells]) => [name?.text, ...cells.slice(0, 5).flatMap(({ values }) => values)]);
  expect(shown.slice(0, -1)).toEqual(expected);
  await expect(readSeenLines(page).join("\n")).toMatchFileSnapshot("golden/overview.txt");
});

it("the overview in one zone has the total of all accounts", async () => {
  const timezone = "Asia/Kathmandu";
  const rowsOf = ACCOUNTS.map((account) => {
    const asked = { by: ["source"], range: RANGE, compare: "previous", total: true, timezone } as const;
    return figuresOf(account, asked).at(-1) ?? {};
  });
  const sum = (name: string) => rowsOf.reduce((all, row) => all + Number(row[name]), 0);
  const rounded = (value: number) => Math.round(1e4 * value) / 1e4;
  using folder = makeTempFolder();
  await say("report", "--overview", ...DAYS, "--timezone", timezone, "--out", folder.path);
  const page = readFileSync(join(folder.path, "overview.html"), "utf8");
  const [{ rows } = { rows: [] }] = readTables(page);
  const [label, ...cells] = rows.at(-1) ?? [];
  expect(label?.text).toBe("(total)");
  expect(cells.slice(0, 3).flatMap(({ values }) => values)).toEqual([
    sum("calls"),
    rounded(sum("calls") / sum("calls_previous") - 1),
    sum("calls_previous"),
    rounded(sum("missed_calls") / sum("calls")),
    sum("qualified_calls"),
  ]);
  // Each account has a currency of its own.
  expect(cells.slice(3, 5).map(({ text }) => text)).toEqual(["–", "–"]);
});

it("the answer to an assistant says what it said", async () => {
  const { name } = accountNamed("howe");
  const question = { account: name, by: ["source", "medium"], range: RANGE, total: true };
  const answer = await answering(openScene().folder).ask("compare", question);
  await expect(JSON.stringify(answer, null, 2)).toMatchFileSnapshot("golden/assistant-howe.txt");
});

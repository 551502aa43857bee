import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readPart, startMailServer, type TakenMail } from "../reports/delivery/mail-server.ts";
import { readSeenLines } from "../support/page.ts";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, RANGE, type SceneAccount } from "../support/scene/accounts.ts";
import { openScene } from "../support/scene/build.ts";
import { figuresOf } from "../support/scene/oracle.ts";
import { startServer, text } from "../support/services/server.ts";

beforeAll(() => void openScene());

type Line = readonly [name: string, value: string, change: string | null];

/** The headline: names, values, and changes such as `-4.8% from 42`. */
function headlineOf(account: SceneAccount): Line[] {
  const asked = { range: RANGE, compare: "previous", total: true, spend: true, outcomes: true } as const;
  const [total = {}, paid = {}] = figuresOf(account, { ...asked, by: ["campaign"] }).slice(-2);
  const inHours =
    figuresOf(account, { ...asked, by: ["in_hours"] }).find((row) => row.in_hours === "yes") ?? {};
  const money = (value: number) =>
    `${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${account.currency}`;
  const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const percent = (value: number) => value.toLocaleString("en-US", { style: "percent", ...tenths });
  const sign = (value: number) => (value > 0 ? "+" : "");
  const line = (row: typeof total, title: string, name: string, show: (value: number) => string): Line => {
    const [value, before, change] = [row[name], row[`${name}_previous`], row[`${name}_change`]].map((each) =>
      each === null || each === undefined ? null : Number(each),
    );
    // Of the amounts as they are shown, rounded once.
    const by = Number(value) / Number(before) - 1;
    const from = `${sign(by)}${percent(by)} from ${show(Number(before))}`;
    return [title, show(Number(value)), change === null ? null : from];
  };
  const [rate, earlier] = ["", "_previous"].map(
    (suffix) => Number(total[`answered_calls${suffix}`]) / Number(total[`calls${suffix}`]),
  );
  const points = 100 * (Number(rate) - Number(earlier));
  return [
    line(total, "Calls", "calls", String),
    [
      "Answer rate",
      percent(Number(rate)),
      `${sign(points)}${points.toLocaleString("en-US", tenths)} points from ${percent(Number(earlier))}`,
    ],
    line(total, "Qualified calls", "qualified_calls", String),
    line(total, "First-time callers", "first_time_callers", String),
    line(total, "Missed calls", "missed_calls", String),
    line(inHours, "Missed in opening hours", "missed_calls", String),
    line(total, "Booked calls", "booked_calls", String),
    line(total, "Revenue", "revenue", money),
    line(total, "Cost", "cost", money),
    line(paid, "Cost per call (campaigns with spend)", "cost_per_call", money),
    line(paid, "Cost per qualified call (campaigns with spend)", "cost_per_qualified_call", money),
  ];
}

const withoutMark = (change = "") => change.replace(/, within chance$/, "");
const subjectOf = ({ raw }: TakenMail) => /^Subject: (.*)/m.exec(raw)?.[1]?.trim() ?? "";

it("the mail and the web hook of each account have the figures of the oracle", async () => {
  const expected = new Map(ACCOUNTS.map((account) => [account.name, headlineOf(account)]));
  await using hook = await startServer(text("OK"));
  await using mail = await startMailServer();
  const { folder } = openScene();
  const secret = (name: string, value: string) => writeFileSync(join(folder, name), value, { mode: 0o600 });
  secret("hook.url", `${hook.url}scene`);
  secret("smtp.url", `smtp://127.0.0.1:${mail.port}?from=calls@example.com`);
  const { code, stdout, stderr } = await calltally(["run", "weekly", "--deliver"], { cwd: folder });
  if (code !== 0) throw new Error(`run weekly exits with ${code}: ${stdout}${stderr}`);

  const bodies = hook.requests.map(({ body }) => JSON.parse(String(body)));
  const mails = mail.taken.toSorted((a, b) => (subjectOf(a) < subjectOf(b) ? -1 : 1));
  expect([bodies.length, mails.length]).toEqual([ACCOUNTS.length, ACCOUNTS.length]);
  const shown: string[] = [];
  for (const each of mails) {
    const account = ACCOUNTS.find(({ name }) => subjectOf(each) === `${name}: 2 Mar 2026 to 29 Mar 2026`);
    const lines = account && expected.get(account.name);
    if (lines === undefined) throw new Error(`No account has the mail ${subjectOf(each)}`);
    const { headline } = bodies.find((body) => body.account === account?.name) ?? {};
    expect(
      headline.map((figure: Record<string, string | null>) => [
        figure.name,
        figure.value,
        figure.change === null ? null : `${figure.change} from ${figure.previous}`,
      ]),
    ).toEqual(lines);
    const plain = readPart(each, "text/plain").replaceAll("\r\n", "\n");
    const found = plain.split("\n").map((row) => row.split(/ {2,}/));
    const titles = new Set(lines.map(([title]) => title));
    expect(
      found
        .filter(([title = ""]) => titles.has(title))
        .map(([title, value, change]) => [title, value, withoutMark(change) || null]),
    ).toEqual(lines);
    const html = readSeenLines(readPart(each, "text/html"));
    const values = lines.flatMap(([title, value, change]) => [
      title,
      value,
      ...(change === null ? [] : [change]),
    ]);
    const first = html.indexOf("Calls");
    expect(html.slice(first, first + values.length).map(withoutMark)).toEqual(values);
    shown.push(`# ${subjectOf(each)}\n\n${plain.trim()}\n\n## as HTML\n\n${html.join("\n")}\n`);
  }
  await expect(shown.join("\n")).toMatchFileSnapshot("golden/mails.txt");
});

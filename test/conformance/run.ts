import { parseArgs } from "node:util";
import { createAsk, judge, type Target } from "./judge.ts";
import { isReadOnly, type Row, type Verdict } from "./row.ts";
import { ROWS } from "./rows.ts";

// npm run conformance -- --base-url https://… --token …: checks a server against the table with GET only.

const USAGE = `Usage: npm run conformance -- --base-url <url> --token <token> [--insight-id <id>]
  --base-url    what the API's document calls {base_url}, without /v3
  --token       bearer token (else CALLTALLY_TOKEN)
  --insight-id  an insight that exists there (default 101, which the sandbox has)
`;

async function main(): Promise<number> {
  const target = readTarget();
  if (target === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const rows = ROWS.filter(isReadOnly);
  const ask = createAsk(target);
  const width = Math.max(...rows.map(({ section }) => section.length));
  const verdicts: Verdict["verdict"][] = [];
  for (const row of rows) {
    const verdict = await judge(row, ask);
    verdicts.push(verdict.verdict);
    process.stdout.write(`${lineOf(row, verdict, width)}\n`);
  }
  const count = (wanted: Verdict["verdict"]) => verdicts.filter((verdict) => verdict === wanted).length;
  const left = ROWS.length - rows.length;
  process.stdout.write(`
${count("passed")} passed, ${count("failed")} failed, ${count("not seen")} not seen
${left} rows are for the sandbox alone: they write, or need a server that fails.
`);
  return count("failed") > 0 ? 1 : 0;
}

function lineOf({ section }: Row, { verdict, reason }: Verdict, width: number): string {
  return `${verdict.padEnd(8)}  ${section.padEnd(width)}  ${reason}`.trimEnd();
}

function readTarget(): Target | undefined {
  try {
    const { values } = parseArgs({
      options: {
        "base-url": { type: "string" },
        token: { type: "string" },
        "insight-id": { type: "string", default: "101" },
      },
    });
    const { "base-url": baseUrl = "", token = process.env.CALLTALLY_TOKEN ?? "" } = values;
    const insightId = Number(values["insight-id"]);
    if (!/^https?:\/\//.test(baseUrl) || token === "" || !Number.isSafeInteger(insightId)) return undefined;
    return { baseUrl, token, insightId };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

process.exitCode = await main();

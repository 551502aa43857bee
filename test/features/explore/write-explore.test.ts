import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpackCalls } from "../../../src/features/explore/packed-calls.ts";
import { findPersonalFiles } from "../../../src/forget/personal-files.ts";
import { isOf, verifyFile } from "../../../src/verify/verify-files.ts";
import { openReader } from "../../../src/warehouse/open.ts";
import { FULL_CALL } from "../../support/calls.ts";
import "../../support/built.ts"; // for the script of the page
import { makeWarehouse } from "../../support/produce-files.ts";

const CALLS = Array.from({ length: 40 }, (_, index) => ({
  ...FULL_CALL,
  call_id: 731_000_000 + index,
  caller_id: `+4930123${400 + (index % 20)}`,
  call_started: new Date(Date.UTC(2026, 8, 1 + (index % 5), 14, index, 7, 125)).toISOString(),
}));

const EXPLORE = { kind: "explore", dimensions: ["channel", "campaign", "hour"] } as const;

async function makePage() {
  const warehouse = makeWarehouse(CALLS);
  await warehouse.export({ targets: [EXPLORE] });
  const file = join(warehouse.folder, "explore.html");
  return { ...warehouse, file, read: () => readFileSync(file, "utf8") };
}

/** The unpacked calls of a page: the text of its values, and its columns. */
function unpack(html: string) {
  const [, base64 = ""] = /id="calls">([^<]*)</.exec(html) ?? [];
  return unpackCalls(inflateRawSync(Buffer.from(base64, "base64")));
}

describe("page to explore", () => {
  it("has days and hours instead of times, and nothing that identifies a call or a caller", async () => {
    using page = await makePage();
    const html = page.read();
    const { columns, values } = unpack(html);
    expect([...columns.keys()]).toEqual([
      ...["day", "channel", "campaign", "campaign_id", "hour", "marks", "duration", "caller"],
    ]);
    expect(values.hour).toEqual(["14"]);
    const texts = html.replace(/<script>[\s\S]*/, "") + JSON.stringify(values);
    for (const secret of [
      "731000",
      "30123",
      "14:0",
      FULL_CALL.gclid,
      FULL_CALL.summary,
      "123.456",
      "recordings",
    ])
      expect(texts).not.toContain(secret);
  });

  it("sorts calls by their shown values, and numbers callers randomly in each file", async () => {
    using page = await makePage();
    const first = unpack(page.read());
    await page.export({ targets: [EXPLORE] });
    const second = unpack(page.read());
    const callers = ({ columns }: typeof first) => [...(columns.get("caller") ?? [])];
    expect(callers(second)).not.toEqual(callers(first));
    expect(new Set(callers(second))).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 1)));
    const rows = Array.from({ length: first.rows }, (_, row) =>
      [...first.columns.values()].map((own) => own[row] ?? 0),
    );
    const order = (a: number[], b: number[]) =>
      a.map((own, index) => own - (b[index] ?? 0)).find(Boolean) ?? 0;
    expect(rows).toEqual(rows.toSorted(order));
  });

  it("refuses more than 250,000 calls", async () => {
    using page = await makePage();
    const columns = openReader(page.database).sqlite.pragma("table_info(call_facts)");
    const names = (columns as { name: string }[]).map(({ name }) => name);
    const others = names.filter((name) => name !== "call_id");
    page.execute(`PRAGMA foreign_keys = OFF;
WITH RECURSIVE series (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM series WHERE value < 249960)
INSERT INTO call_facts (call_id, ${others.join(", ")})
SELECT value, ${others.join(", ")} FROM series CROSS JOIN (SELECT * FROM call_facts LIMIT 1)`);
    await expect(page.export({ targets: [EXPLORE] })).rejects.toThrow(
      "of 250001 calls: the maximum is 250000",
    );
  });

  it("is verified by the recorded hash of its bytes at any path", async () => {
    using page = await makePage();
    const says = (path: string) => {
      const open = (id: string) => {
        const reader = openReader(page.database);
        return isOf(reader, id) ? reader : undefined;
      };
      const [found] = verifyFile(path, open);
      return found?.message.replace(page.folder, "");
    };
    const moved = join(page.folder, "moved.html");
    writeFileSync(moved, page.read());
    expect(says(moved)).toMatch(/^\/moved.html is as it was exported at 2026-10-01T/);
    writeFileSync(moved, page.read().replace("Calls, ", "Fewer, "));
    expect(says(moved)).toMatch(/^\/moved.html is not a file that .* recorded$/);
  });

  it("is among the files named by forget, since it cannot be searched", async () => {
    using page = await makePage();
    using reader = openReader(page.database);
    const found = findPersonalFiles(reader, {
      exportFolder: page.folder,
      traces: { numbers: ["+4930123400"], texts: [] },
      suspects: new Set(),
      maskJson: (json) => json,
    });
    expect(found).toEqual([{ path: page.file, holds: "perhaps" }]);
  });
});

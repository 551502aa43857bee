import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { layOutTable } from "../../../src/cli/terminal/query-table.ts";
import { isRunning, untilChildren } from "../../support/processes.ts";
import { startCalltally } from "../../support/run.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

const ENDLESS = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
const MILLION = `WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
  SELECT i, 'a text that takes some room, row ' || i AS words FROM n`;

/** A working folder with a warehouse of two calls. */
const makeFolder = () =>
  makeCallsFolder([FULL_CALL, makeCall({ call_id: 2, utm_source: 'a, "b"\r\n\u202Ec\x1b[2J' })]);

describe("calltally query", () => {
  it("prints a table without truncation or terminal escapes", async () => {
    using folder = makeFolder();
    const sql =
      "SELECT call_id, utm_source, duration, transcription FROM calls JOIN transcripts USING (call_id)";
    const all = `${sql} UNION ALL SELECT call_id, utm_source, NULL, x'00ff' FROM calls WHERE call_id = 2`;
    expect(await folder.run("query", all)).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "  call_id  utm_source                  duration  transcription",
        "731000005  Google                            61  Hello. My tap leaks.",
        '        2  a, "b"\\r\\n\\u202ec\\u001b[2J      NULL  00ff',
        "",
      ].join("\n"),
    });
  });

  it("writes CSV and JSON with exact values", async () => {
    using folder = makeFolder();
    const sql =
      "SELECT '=1+1' AS a, 9007199254740993 AS b, NULL AS c, x'00ff' AS d, 0.5 AS e, '' || utm_source AS f FROM calls";
    const csv = await folder.run("query --format csv", sql);
    expect(csv).toEqual({
      code: 0,
      stderr: "",
      stdout: `a,b,c,d,e,f\r\n=1+1,9007199254740993,,00ff,0.5,"a, ""b""\r\n\u202Ec\x1b[2J"\r\n=1+1,9007199254740993,,00ff,0.5,Google\r\n`,
    });
    const json = await folder.run("query --format json", sql);
    expect(json.stdout).toBe(
      '[\n{"a":"=1+1","b":9007199254740993,"c":null,"d":"00ff","e":0.5,"f":"a, \\"b\\"\\r\\n\u202Ec\\u001b[2J"},\n' +
        '{"a":"=1+1","b":9007199254740993,"c":null,"d":"00ff","e":0.5,"f":"Google"}\n]\n',
    );
    const none = await folder.run("query --format json", "SELECT 1 WHERE 0");
    expect(none.stdout).toBe("[]\n");
  });

  it("reads the statement from standard input", () => {
    using folder = makeFolder();
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve("dist/bin.js"), "query", "-"], {
      cwd: folder.path,
      env: {},
      input: "-- how many\nSELECT count(*) AS calls FROM attributed_calls;\n",
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "calls\n    2\n", stderr: "" });
  });

  it("reports that it stops at --max-rows, and exits with 3", async () => {
    using folder = makeFolder();
    for (const format of ["table", "csv", "json"]) {
      const args = ["query", "--format", format, "--max-rows", "1", "SELECT 7 AS a UNION ALL SELECT 8"];
      const { code, stdout, stderr } = await folder.run(...args);
      expect({ code, stdout }).toEqual({ code: 3, stdout: expect.not.stringContaining("8") });
      expect(stderr).toContain("Stopped after 1 row; there are more.");
      if (format === "json") expect(JSON.parse(stdout)).toEqual([{ a: 7 }]);
    }
    const all = await folder.run("query --max-rows 2", "SELECT 7 AS a UNION ALL SELECT 8");
    expect(all).toEqual({ code: 0, stdout: "a\n7\n8\n", stderr: "" });
    const table = await folder.run("query", MILLION);
    expect(table).toMatchObject({ code: 3, stderr: expect.stringContaining("Stopped after 10,000 rows") });
  });

  it("streams 80 MB of rows in constant memory", async () => {
    using folder = makeFolder();
    // The rows would take more than this heap.
    const env = { NODE_OPTIONS: "--max-old-space-size=64" };
    const rows = MILLION.replace("1000000", "20000").replace(
      "'a text",
      "printf('%.*c', 4000, 'x') || 'a text",
    );
    const args = ["query", "--format", "json", "--timeout", "86400", rows];
    const query = startCalltally(args, { cwd: folder.path, env });
    const { code, stdout, stderr } = await query.done;
    expect({ code, stderr, lines: stdout.match(/\n/g)?.length }).toEqual({
      code: 0,
      stderr: "",
      lines: 20_002,
    });
  });

  it("exits immediately with 0 when its reader closes", async () => {
    using folder = makeFolder();
    const query = startCalltally(["query", "--format", "csv", MILLION.replace("1000000", "1e15")], {
      cwd: folder.path,
    });
    query.stdout?.once("data", () => query.stdout?.destroy());
    const closed = new Promise((ended) => query.once("close", ended));
    await expect(query.done).rejects.toThrow("Premature close"); // by this test
    expect(await closed).toBe(0);
  });

  it("stops a query after --timeout, with exit code 3 and a hint", async () => {
    using folder = makeFolder();
    const { code, stdout, stderr } = await folder.run("query --timeout 1", ENDLESS);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^calltally: The query was stopped after 1 second\n.*--timeout/);
  });

  it.runIf(process.platform === "linux")("ends the process of its query, even if it is killed", async () => {
    using folder = makeFolder();
    // Its first rows show that the child is in the middle of the statement, whose rest never ends.
    const sql = `SELECT i FROM (${MILLION}) UNION ALL SELECT * FROM (${ENDLESS})`;
    const args = ["query", "--format", "csv", "--timeout", "86400", sql];
    const query = startCalltally(args, folder.options);
    const [child = ""] = await untilChildren(query.pid, 1);
    if (query.stdout) await once(query.stdout, "data");
    query.kill("SIGKILL");
    expect(await query.done).toMatchObject({ code: null, stderr: "" });
    while (isRunning(child)) await wait(10); // for ever, unless it is ended
  });

  it("refuses SQL that would change something with exit code 2, and does not change the file", async () => {
    using folder = makeFolder();
    const before = readFileSync(folder.database);
    const { code, stdout, stderr } = await folder.run(
      "query",
      "WITH x AS (SELECT 1) DELETE FROM calls RETURNING 1",
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("it would change something");
    expect(readFileSync(folder.database).equals(before)).toBe(true);
  });
});

describe("layOutTable", () => {
  it("truncates the widest columns to the terminal's width", () => {
    const rows = [
      ["short", "a text that goes on and on", 12n],
      ["東京都港区赤坂", "another one, which is even longer", 3n],
    ];
    expect(layOutTable(["a", "words", "n"], rows, 30).split("\n")).toEqual([
      "a             words          n",
      "short         a text that…  12",
      "東京都港区…   another one…   3",
    ]);
    expect(layOutTable(["a", "n"], [["wide enough", 1n]], 80)).toBe("a            n\nwide enough  1");
  });

  it("prints each value on its own line if there are too many columns", () => {
    const columns = ["a", "b", "c", "d", "e"];
    const row = ["first value", "second value", "third value", null, 5n];
    expect(layOutTable(columns, [row], 24)).toBe(
      "row 1\n  a  first value\n  b  second value\n  c  third value\n  d  NULL\n  e  5",
    );
    expect(layOutTable(["n", "m"], [["a longer value than the line", null]], 12)).toBe(
      "row 1\n  n  a long…\n  m  NULL",
    );
  });

  it("prints only the names if there are no rows", () => {
    expect(layOutTable(["a", "b"], [])).toBe("a  b");
  });
});

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { fillWarehouse } from "../../support/warehouses/warehouse.ts";
import { makeCallsFolder, makeFolder } from "../folder.ts";

const NUMBER = "+15126386276";
const CALLS = Array.from({ length: 6 }, (_, index) =>
  makeCall({
    call_id: 701 + index,
    caller_id: NUMBER,
    call_started: `2026-10-0${index + 1}T12:00:0${index}.500Z`,
    duration: 60 + index,
  }),
);
const AT = "2026-10-20T00:00:00.000Z";

describe("calltally reconcile", () => {
  it("agrees with the exported list of calls, whose numbers, texts and times it does not need", async () => {
    using folder = makeCallsFolder(CALLS, { CALLTALLY_TIMEZONE: "Pacific/Auckland" });
    await folder.say("export calls --with caller_id --out out");
    const told = await folder.say("reconcile out/calls.csv");
    expect(told).toContain("In the list: 6 calls; of these in the copy: 6\nThey agree.\n");
    expect(existsSync(join(folder.path, "reconcile-differences.csv"))).toBe(false);
  });

  it("writes the differences for its owner, without cells of the list, and empties the file once all agree", async () => {
    using folder = makeCallsFolder(CALLS);
    const { path, run, write } = folder;
    write(
      "list.csv",
      Buffer.from(
        `\ufeffRef;Started;Length;Caller\n701;1.10.2026 12:00:00;60;=HYPERLINK("x")\n703;"3.10.2026\n12:00:02";99;${NUMBER}\n"=1+1";x;x;\n${NUMBER};x;x;\n799;3.10.2026 13:00:00;5;\n704;4.10.2026 12:00:03;63;\n`,
        "utf16le",
      ),
    );
    const line = "reconcile list.csv --map call_id=Ref,duration=Length";
    expect(await run(line)).toMatchObject({ code: 3, stderr: "" });
    const file = join(path, "reconcile-differences.csv");
    expect(readText(path, "reconcile-differences.csv")).toBe(
      [
        "where,reason,detail,call_id,started,account,line",
        'differs,duration,"99 s, 62 s here",703,2026-10-03 12:00:02,,3',
        "unread,unreadable,its call id is not a whole number,,,,5",
        "unread,unreadable,its call id is not a whole number,,,,6",
        "only in the list,not_in_copy,,799,2026-10-03 13:00:00,,7",
        "only here,not_in_list,,702,2026-10-02 12:00:01,,",
        "",
      ].join("\r\n"),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await run(`${line} --json`)).stdout)).toMatchObject({
      agrees: false,
      compared: { from: "2026-10-01 12:00:00", before: "2026-10-04 12:00:03", decided_by: "calls" },
      calls: { in_the_list: 4, on_both_sides: 3 },
      differences: { not_in_copy: 1, not_in_list: 1, duration: 1, unreadable: 2 },
      differences_file: "reconcile-differences.csv",
    });
    write("all.csv", "call_id\n701\n702\n");
    expect(await run("reconcile all.csv")).toMatchObject({ code: 0 });
    expect(readText(path, "reconcile-differences.csv").split("\r\n")).toHaveLength(2);
  });

  it("compares one list with all accounts, and names another account that has a call", async () => {
    using folder = makeFolder();
    const configure = (austin: string, dallas: string) =>
      folder.write(
        "calltally.yaml",
        `base_url: https://api.example.com
accounts:
  austin: { database: austin.db, token_file: a.token, timezone: ${austin} }
  dallas: { database: dallas.db, token_file: d.token, timezone: ${dallas} }
`,
      );
    folder.write("a.token", "a-token-of-austin\n");
    folder.write("d.token", "a-token-of-dallas\n");
    configure("America/Chicago", "America/Chicago");
    fillWarehouse(join(folder.path, "austin.db"), CALLS.slice(0, 3), { at: AT });
    fillWarehouse(join(folder.path, "dallas.db"), CALLS.slice(3), { at: AT });
    folder.write("list.csv", `call_id\n${CALLS.map(({ call_id }) => call_id).join("\n")}\n`);
    expect(await folder.say("reconcile list.csv")).toContain("of these in the copy: 6\nThey agree.\n");
    expect(JSON.parse(await folder.say("reconcile list.csv --account austin --json"))).toMatchObject({
      agrees: true,
      accounts: ["austin"],
      differences: { other_account: 3 },
    });
    expect(await folder.run("reconcile list.csv --from 2026-10-05 --to 2026-10-04")).toMatchObject({
      code: 2,
      stderr:
        "calltally: --from 2026-10-05 is after --to 2026-10-04\nDid you mean --from 2026-10-04 --to 2026-10-05?\n",
    });
    configure("America/Chicago", "Asia/Tokyo");
    expect(await folder.run("reconcile list.csv")).toMatchObject({ code: 2 });
    expect(await folder.run("reconcile list.csv --timezone UTC")).toMatchObject({ code: 0 });
  });
});

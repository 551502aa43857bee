import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { cutoffsAt, KEEP_ALL, type Keep } from "../../../src/calls/privacy/keep-settings.ts";
import { Keeping } from "../../../src/warehouse/calls/call-guard.ts";
import { decide, type StoredHead } from "../../../src/warehouse/calls/decide-call.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const NOW_MS = Date.parse("2027-01-01T00:00:00Z");
const NO_LINKS: Keep = { ...KEEP_ALL, recording_urls: "never" };
const LINK = "https://r.example/1.mp3?sig=";

/** The change of a call between two runs, and what each run may keep. */
const CASES: { name: string; now?: Partial<Call>; keep?: [before: Keep, now: Keep]; kind: string }[] = [
  { name: "the same", kind: "keep" },
  { name: "a new signature of its link", now: { recording_url: `${LINK}b` }, kind: "keep with its link" },
  { name: "another recording", now: { recording_url: "https://r.example/2.mp3?sig=a" }, kind: "write" },
  { name: "another duration", now: { duration: 7 }, kind: "write" },
  { name: "the same, without its link", keep: [NO_LINKS, NO_LINKS], kind: "keep" },
  {
    name: "a new signature of a link that is not kept",
    now: { recording_url: `${LINK}b` },
    keep: [NO_LINKS, NO_LINKS],
    kind: "keep",
  },
  {
    name: "another link that is not kept",
    now: { recording_url: "https://r.example/2.mp3" },
    keep: [NO_LINKS, NO_LINKS],
    kind: "refresh",
  },
  { name: "the same, whose link may be kept again", keep: [NO_LINKS, KEEP_ALL], kind: "write the same" },
];

describe("decide", () => {
  it.each(CASES)("$kind: $name", ({ now = {}, keep: [before, after] = [KEEP_ALL, KEEP_ALL], kind }) => {
    using warehouse = newWarehouse();
    const served = { ...FULL_CALL, recording_url: `${LINK}a` };
    const decideBy = (keep: Keep, call: Call, stored: StoredHead | undefined, runId: number) =>
      decide(call, stored, {
        keeping: new Keeping(warehouse, cutoffsAt(keep, NOW_MS), NOW_MS),
        signature: new Set(),
        runId,
      });
    const first = decideBy(before, served, undefined, 1);
    if (first.kind !== "write") throw new Error("A new call is written");
    expect(first).toMatchObject({ isSame: false, row: { first_run_id: 1, changed_run_id: 1 } });

    const decision = decideBy(after, { ...served, ...now }, first.row, 2);
    const { link } = { link: undefined, ...decision };
    const same = decision.kind === "write" && decision.isSame ? " the same" : "";
    expect(`${decision.kind}${same}${link ? " with its link" : ""}`).toBe(kind);
    if (decision.kind !== "keep") {
      const changed_run_id = decision.kind === "write" && !decision.isSame ? 2 : 1;
      expect(decision.row).toMatchObject({ first_run_id: 1, changed_run_id });
    }
  });
});

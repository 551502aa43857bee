import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { cutoffsAt, KEEP_ALL, type Keep } from "../../../src/calls/privacy/keep-settings.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { Keeping } from "../../../src/warehouse/calls/call-guard.ts";
import { countKeptTopics } from "../../../src/warehouse/calls/call-table.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import { locked, newWarehouse, pruneTo, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const line = (topic: string, phrase: string, qualifies: boolean | null = null) => ({
  topic,
  phrase,
  qualifies,
  speaker: null,
  value: null,
});
const withTopics = (...topics: ReturnType<typeof line>[]) => ({ ...DEFAULT_RULES, topics });
const PIPES = withTopics(line("pipe", "burst pipe", true));
const LEAKS = withTopics(line("leak", "pipe"));

const about = (transcription: string | null, members: Partial<Call> = {}) =>
  makeCall({
    call_started: "2026-10-01T00:00:00.000Z",
    caller_id: "+4930123456",
    disposition: "answered",
    duration: 5,
    transcription,
    ...members,
  });
const BURST = about("A burst pipe.");

function open(rules = PIPES) {
  const warehouse = newWarehouse();
  setRules(warehouse, rules);
  return warehouse;
}

function store(warehouse: Warehouse, call: Call, keep: Partial<Keep> = {}) {
  const keeping = new Keeping(warehouse, cutoffsAt({ ...KEEP_ALL, ...keep }, NOW), NOW);
  return storeCalls(warehouse, [call], { keeping });
}

const read = ({ sqlite }: Warehouse) =>
  sqlite.prepare("SELECT topic, is_qualified FROM call_facts").raw().get();
const readSaid = ({ sqlite }: Warehouse) =>
  sqlite.prepare("SELECT transcription FROM transcripts").pluck().get() ?? null;

describe("topics in the warehouse", () => {
  it("come with a late transcript, as a correction", () => {
    using warehouse = open();
    store(warehouse, about(null));
    logFacts(warehouse);
    expect(store(warehouse, BURST).changed).toBe(0); // of the same run
    expect(read(warehouse)).toEqual(["pipe", 1]);
    const reasons = warehouse.sqlite.prepare("SELECT reason, topic FROM fact_changes").raw();
    expect(reasons.all()).toEqual([["corrected", null]]);
  });

  it("topics are derived before the transcript is removed, even if it comes late", () => {
    using warehouse = open();
    const keep = { transcripts: "never" } as const;
    store(warehouse, about(null), keep);
    expect(read(warehouse)).toEqual([null, 0]);
    store(warehouse, BURST, keep);
    expect([read(warehouse), readSaid(warehouse)]).toEqual([["pipe", 1], null]);
    const changes = () => Number(warehouse.sqlite.prepare("SELECT total_changes()").pluck().get());
    const before = changes();
    store(warehouse, BURST, keep);
    expect(changes(), "only the moment").toBe(before + 1);
    store(warehouse, about("A pipe, not burst."), keep);
    expect(read(warehouse)).toEqual([null, 0]);
  });

  it("follow the rules again when the transcript comes back", async () => {
    using warehouse = open();
    store(warehouse, BURST);
    await pruneTo(warehouse, { transcripts: 10 }, NOW);
    expect([read(warehouse), readSaid(warehouse)]).toEqual([["pipe", 1], null]);
    expect(countKeptTopics(warehouse)).toBe(1);
    setRules(warehouse, LEAKS);
    store(warehouse, BURST, { transcripts: 10 });
    expect(read(warehouse)).toEqual(["pipe", 0]);
    store(warehouse, BURST);
    expect([read(warehouse), readSaid(warehouse)]).toEqual([["leak", 0], "A burst pipe."]);
    expect(countKeptTopics(warehouse)).toBe(0);
  });

  it.each([{ caller_digests: false }, { caller_digests: true }])(
    "topics remain when the caller is forgotten, %j",
    (digests) => {
      using warehouse = open({ ...PIPES, ...digests });
      store(warehouse, BURST);
      const [caller] = ["+4930123456"];
      forgetCallers(locked(warehouse), [{ caller }], { nowMs: NOW });
      expect([read(warehouse), readSaid(warehouse)]).toEqual([["pipe", 1], null]);
      store(warehouse, BURST);
      expect([read(warehouse), readSaid(warehouse)]).toEqual([["pipe", 1], null]);
      expect(countKeptTopics(warehouse)).toBe(1);
      setRules(warehouse, { ...LEAKS, ...digests });
      expect(read(warehouse)).toEqual(["pipe", 0]);
    },
  );
});

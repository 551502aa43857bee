import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCaller } from "../../src/calls/attribution/call-text.ts";
import type { Call } from "../../src/calls/columns.ts";
import {
  cutoffsAt,
  type Keep,
  kindsPast,
  WITHHELD_KINDS,
  type WithheldKind,
} from "../../src/calls/privacy/keep-settings.ts";
import { withhold } from "../../src/calls/privacy/withhold.ts";
import { findDamagedCalls } from "../../src/warehouse/attribution/check-calls.ts";
import { openCallerHash } from "../../src/warehouse/calls/caller-hash.ts";
import { openReader } from "../../src/warehouse/file/open.ts";
import { draws, least } from "../support/draws.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type CallService, startRowService, syncFrom } from "../support/services/call-service.ts";
import { readRows } from "../support/warehouses/warehouse.ts";

const DAY_MS = 86_400_000;
const START = "2026-11-20T15:00:00.000Z";
const CALLS = 90;
const CALLERS = 25;
const RUNS = Number(process.env.CALLTALLY_KEEP_RUNS ?? draws(4));

const numberOf = (caller: number) => `+4930${5_550_000 + caller}`;

/** Calls of half a year, newest first; one in twenty without a time or number; each with data that retention may remove. */
function served(id: number, change = 0): Record<string, unknown> {
  const number = numberOf((id * 7 + change) % CALLERS);
  const started = new Date(Date.parse(START) - id * 1.5 * DAY_MS).toISOString();
  return {
    call_id: 1000 - id,
    ...(id % 20 !== 3 && { caller_id: number }),
    ...(id % 20 !== 7 && { call_started: started }),
    duration: 60 + change,
    disposition: "ANSWERED",
    recording_url: `https://recordings.example.com/${id}.mp3?Signature=${Math.random()}`,
    summary: `Summary number ${id} of a call.`,
    transcription: `Words that were said in call ${id}.`,
    transcription_details: [
      { channel: "caller", time: "00:01", text: `Words that were said in call ${id}.` },
    ],
    ...(id % 5 === 1 && { score: id, ani: number.slice(1), dial: number.replace("+49", "0") }),
    dni_data: { utm_source: ["google", "bing"][id % 2], gclid: id % 3 ? `click-${id}` : "" },
  };
}

/** A row that cannot be parsed, of each age. */
const rejectedRow = (id: number) => ({
  ...served(id),
  call_id: id % 2 ? `x${id}` : 5000 + id,
  duration: "long",
  recording_url: `https://recordings.example.com/${id}.mp3`,
});

const PERSONAL =
  "SELECT c.*, t.summary, t.transcription, t.transcription_details FROM calls AS c LEFT JOIN transcripts AS t USING (call_id) ORDER BY call_id";

type StoredCall = Call & { first_run_id: number; withheld: string | null };

const readCalls = (database: string) => readRows(database, PERSONAL) as StoredCall[];

const keepFor = fc.oneof(fc.constantFrom("always", "never"), fc.integer({ min: 1, max: 200 }));
const keepSettings: fc.Arbitrary<Keep> = fc.record({
  transcripts: keepFor,
  summaries: keepFor,
  caller_numbers: keepFor,
  recording_urls: keepFor,
});

/** How often the relevant events happened. */
interface Met {
  removed: number;
  brought: number;
  cut: number;
}

interface Step {
  keep: Keep;
  /** Days that pass before it. */
  days: number;
  /** Calls that the service changes before it. */
  changes: number[];
  /** Pages after which a first attempt is interrupted. */
  cutAfter: number | undefined;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    keep: keepSettings,
    days: fc.integer({ min: 0, max: 40 }),
    changes: fc.array(fc.nat({ max: CALLS - 1 }), { maxLength: 3 }),
    cutAfter: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  }),
  { minLength: 3, maxLength: 5 },
);

describe("retention", () => {
  it("keeps what the settings allow and changes no figure", async () => {
    const met = { removed: 0, brought: 0, cut: 0 };
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await using service = await startRowService([]);
        const world = new World(service, met);
        for (const step of all) await world.take(step);
      }),
      { numRuns: RUNS },
    );
    expect(met.removed).toBeGreaterThan(least(100));
    expect(met.brought).toBeGreaterThan(least(100));
    expect(met.cut).toBeGreaterThan(0);
  });
});

/** A service and two copies of it: one complete, one with changing retention. */
class World {
  readonly #service: CallService<string>;
  readonly #all: string;
  readonly #kept: string;
  readonly #clock = new FakeClock(START);
  readonly #changes = new Map<number, number>();
  readonly #met: Met;
  #isFirst = true;

  constructor(service: CallService<string>, met: Met) {
    this.#service = service;
    this.#met = met;
    [this.#all, this.#kept] = [join(service.folder, "all"), join(service.folder, "kept")];
  }

  async take({ keep, days, changes, cutAfter }: Step): Promise<void> {
    this.#clock.advance(days * DAY_MS);
    for (const id of changes) this.#changes.set(id, (this.#changes.get(id) ?? 0) + 1);
    this.#service.calls = [
      ...Array.from({ length: CALLS }, (_, id) => served(id, this.#changes.get(id))),
      ...[1, 2, 70, 71].map(rejectedRow),
    ].map((row) => JSON.stringify(row));
    const before = this.#isFirst ? [] : readCalls(join(this.#kept, "calls.db"));
    if (cutAfter !== undefined) await this.#syncCutShort(keep, cutAfter);
    const rules = { clock: this.#clock, force: "full" } as const;
    const ofAll = await syncFrom(this.#service, this.#all, rules);
    const ofKept = await syncFrom(this.#service, this.#kept, { ...rules, keep });
    if (cutAfter === undefined) {
      expect([ofKept.calls_new, ofKept.calls_changed]).toEqual([ofAll.calls_new, ofAll.calls_changed]);
    }
    expect(ofKept.verdict).toBe(ofAll.verdict);
    this.#assertKept(keep, before);
    this.#assertSameFigures();
    await this.#assertNothingChanges(keep);
    this.#isFirst = false;
  }

  /** Like a kill between two pages. */
  async #syncCutShort(keep: Keep, pages: number): Promise<void> {
    const stop = new AbortController();
    let stored = 0;
    const onProgress = () => {
      if (stored++ >= pages) stop.abort(new Error("interrupted"));
    };
    const options = { clock: this.#clock, keep, signal: stop.signal, onProgress, force: "full" } as const;
    await syncFrom(this.#service, this.#kept, options).catch(() => this.#met.cut++);
  }

  /** Each call has what the settings allow, and nothing else; so do rows that could not be parsed. */
  #assertKept(keep: Keep, before: readonly StoredCall[]): void {
    const database = join(this.#kept, "calls.db");
    const cutoffs = cutoffsAt(keep, this.#clock.now());
    const starts = new Map(
      (
        readRows(database, "SELECT run_id, started_at FROM sync_runs") as {
          run_id: number;
          started_at: string;
        }[]
      ).map(({ run_id, started_at }) => [run_id, started_at]),
    );
    const all = new Map(readCalls(join(this.#all, "calls.db")).map((call) => [call.call_id, call]));
    const earlier = new Map(before.map((call) => [call.call_id, call.withheld]));
    for (const call of readCalls(database)) {
      const whole = all.get(call.call_id);
      if (whole === undefined) throw new Error(`Nobody served ${call.call_id}`);
      const kinds = kindsPast(cutoffs, call.call_started ?? starts.get(call.first_run_id) ?? "");
      const expected = withhold(whole, kinds);
      expect(pickPersonal(call)).toEqual(pickPersonal(expected.call));
      expect(call.withheld).toBe(expected.withheld.length === 0 ? null : expected.withheld.join());
      const lost = countKinds(call.withheld) - countKinds(earlier.get(call.call_id) ?? null);
      if (lost > 0) this.#met.removed += lost;
      else this.#met.brought -= lost;
    }
    const rejected = readRows(database, "SELECT json, first_run_id FROM rejected_calls") as {
      json: string;
      first_run_id: number;
    }[];
    expect(rejected).toHaveLength(4);
    for (const { json } of rejected) {
      const { call_started } = JSON.parse(json);
      const past: WithheldKind[] = kindsPast(cutoffs, call_started);
      const kinds: readonly WithheldKind[] = past.includes("caller_numbers") ? WITHHELD_KINDS : past;
      expect(/5550\d\d\d/.test(json)).toBe(!kinds.includes("caller_numbers"));
      expect(json.includes("Words that")).toBe(!kinds.includes("transcripts"));
      expect(json.includes("Summary number")).toBe(!kinds.includes("summaries"));
      expect(json.includes("recordings.example")).toBe(!kinds.includes("recording_urls"));
    }
  }

  /** Facts and callers are equal call by call, except for the names of callers. */
  #assertSameFigures(): void {
    const [all, kept] = [join(this.#all, "calls.db"), join(this.#kept, "calls.db")];
    const hasDigests = readRows(kept, "SELECT caller_key FROM rules ORDER BY rules_id DESC LIMIT 1") as {
      caller_key: string | null;
    }[];
    const { hash } = openCallerHash(kept);
    const toName = (number: string | null) =>
      number === null || hasDigests[0]?.caller_key === null ? number : hash(toCaller(number) ?? "");
    const rename = (rows: unknown[]) =>
      (rows as { caller: string | null }[]).map((row) => ({ ...row, caller: toName(row.caller) }));
    const read = (file: string, sql: string) =>
      readRows(file, sql).map(({ caller_id: _, changed_ms: __, ...row }) => row);
    const facts = "SELECT * FROM call_facts LEFT JOIN callers USING (caller_id) ORDER BY call_id";
    expect(read(kept, facts)).toEqual(rename(read(all, facts)));
    const callers = "SELECT * FROM callers ORDER BY first_call_id";
    expect(read(kept, callers)).toEqual(rename(read(all, callers)));
  }

  /** A pass over the same calls writes nothing and restores nothing; all rows match their hashes. */
  async #assertNothingChanges(keep: Keep): Promise<void> {
    const database = join(this.#kept, "calls.db");
    const before = readRows(database, PERSONAL);
    // In another spelling, so that the bytes differ and the content does not.
    const rows = this.#service.calls;
    this.#service.calls = rows.map((row) => row.replace('"call_id":', '"call_id": '));
    const run = await syncFrom(this.#service, this.#kept, { clock: this.#clock, keep, force: "full" });
    expect([run.calls_new, run.calls_changed]).toEqual([0, 0]);
    expect(withoutServed(readRows(database, PERSONAL))).toEqual(withoutServed(before));
    expect(readRows(database, "SELECT path FROM schema_drift ORDER BY path")).toEqual([
      { path: "ani" },
      { path: "dial" },
      { path: "score" },
    ]);
    using reader = openReader(database);
    expect(await findDamagedCalls(reader)).toEqual([]);
  }
}

const MEMBERS = [
  "caller_id",
  "summary",
  "transcription",
  "transcription_details",
  "extra",
  "disposition",
] as const;

function pickPersonal(call: Call) {
  const members = Object.fromEntries(MEMBERS.map((member) => [member, call[member]]));
  return { ...members, recording_url: call.recording_url?.split("?")[0] ?? null };
}

function withoutServed(rows: unknown[]): unknown[] {
  return (rows as Record<string, unknown>[]).map(({ served_hash: _, ...row }) => row);
}

function countKinds(withheld: string | null): number {
  return withheld === null ? 0 : WITHHELD_KINDS.filter((kind) => withheld.split(",").includes(kind)).length;
}

import { appendFileSync, cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { hashCall } from "../../../src/calls/call.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import type { ListedCalls, ServedRow } from "../verify/warehouses.ts";
import type { FinderName } from "./finders.ts";
import type { World } from "./world.ts";

/** `—`: the copy is right all the same. */
export type Cell = "found" | "sometimes" | "never" | "—";

/** How a fault is planted in a world that is in order: in a pass that it disturbs, such as the first one, or between two syncs. */
export type Plant =
  | { disturb: (world: World) => ListedCalls["disturb"]; isFirst?: boolean }
  | { between: (world: World) => void | Promise<void> };

export interface Fault {
  fault: string;
  /** Each case of the fault. */
  plants: Readonly<Record<string, Plant>>;
  cells: Readonly<Record<FinderName, Cell>>;
}

/** The cells of a row, in the order of the finders. */
const cells = (sync: Cell, full: Cell, verify: Cell, reconcile: Cell, doctor: Cell): Fault["cells"] => ({
  "the pass, or the next sync": sync,
  "the next full pass": full,
  verify,
  reconcile,
  "doctor --deep": doctor,
});

/** Calls that an incremental sync reads, and one that it does not. */
const [RECENT, OLD] = [5, 50];

/** Serves a list in place of the one that the service has. */
const serving = (of: (world: World) => { rows: World["listed"]; total?: number }) => ({
  disturb: (world: World): ListedCalls["disturb"] => {
    const { rows, total = rows.length } = of(world);
    return ({ offset, limit }) => ({ rows: rows.slice(offset, offset + limit), total });
  },
});
const without = ({ listed }: World, ...places: number[]) => listed.filter((_, at) => !places.includes(at));

/** A change between two syncs: of the service's list, or of the copy by SQL. */
const lists = (of: (world: World) => World["listed"]): Plant => ({
  between: (world) => {
    world.listed = of(world);
  },
});
const runs = (sql: string): Plant => ({ between: (world) => world.change(sql) });

const idAt = (place: number) =>
  `(SELECT call_id FROM call_facts ORDER BY call_started DESC LIMIT 1 OFFSET ${place})`;
const REMOVED = ["transcripts", "call_facts", "calls"]
  .map((table) => `DELETE FROM ${table} WHERE call_id = (SELECT id FROM temp.one)`)
  .join(";\n");
const removes = (place: number) => `CREATE TEMP TABLE one AS SELECT ${idAt(place)} AS id;\n${REMOVED}`;

/** A call like the one at a place, an hour later, with an id of its own. */
function likeAt({ listed }: World, place: number): ServedRow {
  const like = rowAt(listed, place);
  return { ...like, call_id: 731_999_999, call_started: hourLater(like) };
}
const hourLater = ({ call_started }: ServedRow) =>
  new Date(Date.parse(call_started) + 3_600_000).toISOString();

function rowAt(listed: World["listed"], place: number): ServedRow {
  const row = listed[place];
  if (row === undefined) throw new Error(`There is no call at ${place}`);
  return row;
}

/** With a call at its place by start. */
const withCall = (listed: World["listed"], call: ServedRow) =>
  [...listed, call].toSorted((a, b) => (a.call_started < b.call_started ? 1 : -1));

const corrected = (place: number, change: (row: ServedRow) => Partial<ServedRow>) =>
  lists(({ listed }) => listed.map((row, at) => (at === place ? { ...row, ...change(row) } : row)));
const longer = ({ duration }: ServedRow) => ({ duration: duration + 7 });

/** Edits the duration of a stored call, with its facts and hashes. */
const forges = (place: number, ...hashes: ("row_hash" | "served_hash")[]): Plant => ({
  between: ({ database }) => {
    using warehouse = openExistingWarehouse(database);
    const { sqlite } = warehouse;
    const id = sqlite
      .prepare(`SELECT ${idAt(place)}`)
      .pluck()
      .get();
    sqlite.prepare("UPDATE calls SET duration = duration + 7 WHERE call_id = ?").run(id);
    const call = sqlite
      .prepare<[unknown], Call>("SELECT * FROM calls LEFT JOIN transcripts USING (call_id) WHERE call_id = ?")
      .get(id);
    if (call === undefined) throw new Error("There is no such call");
    for (const name of hashes)
      sqlite.prepare(`UPDATE calls SET ${name} = ? WHERE call_id = ?`).run(hashCall(call), id);
    const { duration, is_qualified } = attributeCall(call, DEFAULT_RULES);
    sqlite
      .prepare("UPDATE call_facts SET duration = ?, is_qualified = ? WHERE call_id = ?")
      .run(duration, Number(is_qualified), id);
  },
});

/** In a first load, moves the call at `from` to `to` after the second request, and deletes another one. */
const moves = (from: number, to: number, deleted?: number): Plant => ({
  isFirst: true,
  disturb: (world) => {
    const call = rowAt(world.listed, from);
    const moved = withCall(
      world.listed.filter((row, at) => row !== call && at !== deleted),
      { ...call, call_started: hourLater(rowAt(world.listed, to)) },
    );
    const before = world.listed;
    world.listed = moved;
    return ({ offset, limit, requests }) => {
      const now = requests < 2 ? before : moved;
      return { rows: now.slice(offset, offset + limit), total: now.length };
    };
  },
});

/** Zeroes the page at which a table or an index begins. */
const zeroes = (name: string): Plant => ({
  between: ({ database }) => {
    const { root, size } = readPages(database, name);
    const bytes = readFileSync(database);
    bytes.fill(0, (root - 1) * size, root * size);
    writeFileSync(database, bytes);
  },
});

function readPages(database: string, name: string): { root: number; size: number } {
  using warehouse = openExistingWarehouse(database);
  const { sqlite } = warehouse;
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  const root = sqlite
    .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
    .pluck()
    .get(name);
  return { root: root ?? 0, size: Number(sqlite.pragma("page_size", { simple: true })) };
}

const edits = (file: string, change: (text: string) => string): Plant => ({
  between: ({ exported }) => {
    const path = join(exported, file);
    writeFileSync(path, change(readFileSync(path, "utf8")));
  },
});

/** The copy as it is when a pass is killed at its third request. */
const killed = (prepare: (world: World) => void): Plant => ({
  between: async (world) => {
    prepare(world);
    const disturb: ListedCalls["disturb"] = ({ requests }) => {
      if (requests === 2) world.keep("killed");
      return {};
    };
    await world.sync("full", { hours: 6, disturb });
    world.putBack("killed");
  },
});

export const FAULTS: readonly Fault[] = [
  {
    fault: "A page is lost: its rows come in no response",
    plants: {
      "counted by total": {
        isFirst: true,
        ...serving((world) => ({
          rows: world.listed.filter((_, at) => at < 20 || at >= 40),
          total: world.listed.length,
        })),
      },
      "and not counted": {
        isFirst: true,
        ...serving(({ listed }) => ({
          rows: listed.filter((_, at) => at < 20 || at >= 40),
        })),
      },
    },
    cells: cells("sometimes", "found", "never", "found", "never"),
  },
  {
    fault: "A row is dropped from each response",
    plants: {
      "and counted": {
        isFirst: true,
        ...serving((world) => ({ rows: without(world, OLD), total: world.listed.length })),
      },
      "and not counted": { isFirst: true, ...serving((world) => ({ rows: without(world, OLD) })) },
    },
    cells: cells("sometimes", "found", "never", "found", "never"),
  },
  {
    fault: "A row comes twice",
    plants: {
      "in one response": serving(({ listed }) => ({
        rows: listed.flatMap((row, at) => (at === OLD ? [row, row] : [row])),
        total: listed.length,
      })),
      "and is counted twice": serving(({ listed }) => ({
        rows: listed.flatMap((row, at) => (at === OLD ? [row, row] : [row])),
      })),
    },
    cells: cells("found", "found", "—", "—", "—"),
  },
  {
    fault: "`total` is stale",
    plants: {
      "too high": serving(({ listed }) => ({ rows: listed, total: listed.length + 30 })),
      "too low": serving(({ listed }) => ({ rows: listed, total: listed.length - 30 })),
    },
    cells: cells("found", "found", "—", "—", "—"),
  },
  {
    fault: "The key of a call moves in a pass, from the unread part to the read one",
    plants: {
      "to the middle": moves(OLD, 25),
      "to the middle, while a call that was read is deleted": moves(OLD, 25, 22),
    },
    cells: cells("sometimes", "found", "never", "found", "never"),
  },
  {
    fault: "A call comes late, before the look-back",
    plants: {
      alone: lists((world) => withCall(world.listed, likeAt(world, OLD))),
      "while another one is deleted": lists((world) => withCall(without(world, OLD + 5), likeAt(world, OLD))),
    },
    cells: cells("sometimes", "found", "never", "found", "never"),
  },
  {
    fault: "A call is deleted at the service",
    plants: {
      "one of the last days": lists((world) => without(world, RECENT)),
      "an old one": lists((world) => without(world, OLD)),
      "an old one, while a late one comes": lists((world) =>
        withCall(without(world, OLD), likeAt(world, OLD + 5)),
      ),
    },
    cells: cells("sometimes", "found", "never", "found", "never"),
  },
  {
    fault: "A call is corrected at the service",
    plants: {
      "one of the last days": corrected(RECENT, longer),
      "an old one": corrected(OLD, longer),
      "its disposition": corrected(OLD, () => ({ disposition: "Carrier pigeon" })),
    },
    cells: cells("sometimes", "found", "never", "sometimes", "never"),
  },
  {
    fault: "A call is in no list of the service",
    plants: {
      "a recent one": {
        between: (world) => {
          world.unlisted = [likeAt(world, RECENT)];
        },
      },
      "an old one": {
        between: (world) => {
          world.unlisted = [likeAt(world, OLD)];
        },
      },
    },
    cells: cells("never", "never", "never", "found", "never"),
  },
  {
    fault: "A stored call is edited",
    plants: {
      "its disposition": runs(`UPDATE calls SET disposition = 'Carrier pigeon' WHERE call_id = ${idAt(OLD)}`),
      "one of the last days": runs(
        `UPDATE calls SET duration = duration + 7 WHERE call_id = ${idAt(RECENT)}`,
      ),
      "an old one": runs(`UPDATE calls SET duration = duration + 7 WHERE call_id = ${idAt(OLD)}`),
    },
    cells: cells("never", "never", "found", "sometimes", "found"),
  },
  {
    fault: "A stored call is edited, with its hash and facts",
    plants: {
      "not with the hash of the row as served": forges(OLD, "row_hash"),
      "with it, one of the last days": forges(RECENT, "row_hash", "served_hash"),
      "with it, an old one": forges(OLD, "row_hash", "served_hash"),
    },
    cells: cells("sometimes", "sometimes", "never", "found", "never"),
  },
  {
    fault: "A stored call is deleted",
    plants: {
      "one of the last days": runs(removes(RECENT)),
      "an old one": runs(removes(OLD)),
      "an old one, and counted down": runs(
        `${removes(OLD)}; UPDATE counts SET value = value - 1 WHERE name = 'calls'`,
      ),
    },
    cells: cells("sometimes", "found", "found", "found", "found"),
  },
  {
    fault: "A fact is edited",
    plants: {
      "a channel": runs(`UPDATE call_facts SET channel = 'Carrier pigeon' WHERE call_id = ${idAt(OLD)}`),
      "a first call": runs(
        `UPDATE call_facts SET is_first_call = NOT is_first_call WHERE call_id = ${idAt(OLD)}`,
      ),
      "the name of a campaign": runs("UPDATE campaigns SET campaign = 'Carrier pigeon'"),
    },
    cells: cells("never", "never", "found", "never", "found"),
  },
  {
    fault: "A view or a trigger is replaced",
    plants: {
      "a view": runs(
        "DROP VIEW rollup_channel; CREATE VIEW rollup_channel AS SELECT 'Carrier pigeon' AS channel, 7 AS calls",
      ),
      "a trigger": runs("DROP TRIGGER date_facts"),
    },
    cells: cells("never", "never", "found", "never", "found"),
  },
  {
    fault: "An index is damaged",
    plants: {
      "of starts": zeroes("call_facts_call_started"),
      "of campaigns": zeroes("call_facts_campaign_id"),
    },
    cells: cells("never", "never", "sometimes", "sometimes", "found"),
  },
  {
    fault: "A table is damaged",
    plants: { "of calls": zeroes("calls"), "of facts": zeroes("call_facts") },
    cells: cells("sometimes", "sometimes", "found", "found", "found"),
  },
  {
    fault: "The record of a run, or its certificate, is edited",
    plants: {
      "a verdict": runs("UPDATE sync_runs SET verdict = 'verified' WHERE run_id = 1"),
      "a certificate": runs("UPDATE certificates SET lines = x'00'"),
    },
    cells: cells("never", "never", "found", "never", "found"),
  },
  {
    fault: "An exported file is edited",
    plants: {
      "a figure": edits("channel.csv", (text) => text.replace(/\d/, "7777")),
      "a line more": {
        between: ({ exported }) => appendFileSync(join(exported, "campaign.csv"), "Carrier pigeon,7\r\n"),
      },
    },
    cells: cells("never", "never", "found", "never", "never"),
  },
  {
    fault: "A manifest is edited",
    plants: {
      "a number of rows": edits("manifest.json", (text) => text.replace(/"rows": \d+/, '"rows": 7777')),
      "the verdict": edits("manifest.json", (text) => text.replaceAll("probable", "exact")),
    },
    cells: cells("never", "never", "found", "never", "never"),
  },
  {
    fault: "A file of spend or jobs is not imported",
    plants: {
      spend: {
        between: ({ folder }) =>
          writeFileSync(join(folder, "spend.csv"), "day,source,medium,cost\n2026-10-30,google,cpc,77.77\n"),
      },
    },
    cells: cells("never", "never", "never", "never", "never"),
  },
  {
    fault: "A sync is killed",
    plants: {
      "a first load": killed((world) => world.empty()),
      "a later pass": killed((world) => {
        world.listed = withCall(world.listed, likeAt(world, OLD));
      }),
    },
    cells: cells("found", "found", "never", "found", "never"),
  },
  {
    fault: "An old backup is put back",
    plants: {
      "and files were exported since": {
        between: async (world) => {
          cpSync(world.database, `${world.database}.backup`);
          world.listed = withCall(world.listed, likeAt(world, 0));
          await world.sync("full", { hours: 6 });
          await world.export();
          renameSync(`${world.database}.backup`, world.database);
        },
      },
      "and no files were exported": {
        between: (world) => {
          world.listed = withCall(world.listed, likeAt(world, 0));
        },
      },
    },
    cells: cells("found", "found", "sometimes", "found", "never"),
  },
];

import type { AccountTable } from "./account-tables.ts";
import { localName } from "./account-tables.ts";
import type { Claim } from "./claim.ts";
import { quoted } from "./clickhouse-text.ts";
import type { LocalRow } from "./local-rows.ts";
import { countRow, type Month } from "./months.ts";

/** Upper bounds of an INSERT: the server makes one part of it. */
const BATCH_ROWS = 20_000;
const BATCH_BYTES = 16_000_000;

interface WriteOptions {
  /** Added to the claim's version. */
  round: number;
  signal: AbortSignal | undefined;
}

interface Batch {
  lines: Buffer[];
  bytes: number;
  /** Resolves when the batch before is written. */
  before: Promise<void>;
}

/** Writes rows of a table under a claim, in batches: to all servers in parallel, one batch to each at a time. */
export class RowWriter {
  readonly sent = { rows: 0, removed: 0 };
  /** The rows that each server was sent, by month. */
  readonly written: readonly Map<string, Month>[];
  /** That of the rows; 0 before the first. */
  version = 0;
  readonly #claim: Claim;
  readonly #table: AccountTable;
  readonly #options: WriteOptions;
  readonly #batches: Batch[];
  readonly #names: readonly string[];

  constructor(claim: Claim, table: AccountTable, options: WriteOptions) {
    this.#claim = claim;
    this.#table = table;
    this.#options = options;
    this.written = claim.cluster.servers.map(() => new Map());
    this.#names = Object.keys(table.columns).map((name) => JSON.stringify(name));
    this.#batches = claim.cluster.servers.map(() => ({ lines: [], bytes: 0, before: Promise.resolve() }));
  }

  /** @param server its index */
  async write(server: number, { month, values }: LocalRow, hash: bigint): Promise<void> {
    this.sent.rows++;
    const written = this.written[server];
    if (written) countRow(written, month, hash);
    const members = values.flatMap((value, index) =>
      value === null ? [] : [`${this.#names[index]}:${JSON.stringify(value)}`],
    );
    await this.#add(server, members.join());
  }

  /** Marks a row as deleted. */
  async remove(server: number, id: number): Promise<void> {
    this.sent.removed++;
    await this.#add(server, `"${this.#table.key}":${id},"is_deleted":1`);
  }

  async flush(): Promise<void> {
    for (const [server, batch] of this.#batches.entries())
      if (batch.lines.length > 0) await this.#start(server, batch);
    await Promise.all(this.#batches.map(({ before }) => before));
  }

  async #add(server: number, members: string): Promise<void> {
    const batch = this.#batches[server];
    if (batch === undefined) throw new Error(`There is no server ${server}`);
    this.version ||= this.#options.round + (await this.#claim.hold());
    const start = `{"account":${JSON.stringify(this.#claim.account)},"version":${this.version}`;
    // Bytes now: a concatenated string would keep all of its pieces in memory.
    const line = Buffer.from(`${start},${members}}\n`);
    batch.lines.push(line);
    batch.bytes += line.length;
    if (batch.lines.length >= BATCH_ROWS || batch.bytes >= BATCH_BYTES) await this.#start(server, batch);
  }

  async #start(server: number, batch: Batch): Promise<void> {
    const { account, cluster } = this.#claim;
    await batch.before;
    await this.#claim.hold();
    const names = ["account", "version", ...Object.keys(this.#table.columns), "is_deleted"].map(quoted);
    const statement = `INSERT INTO ${cluster.table(localName(this.#table.name))} (${names.join(", ")})`;
    const rows = Buffer.concat(batch.lines);
    const options = { doing: `write rows of ${account}`, signal: this.#options.signal };
    batch.before = cluster.servers[server]?.node.insert(statement, rows, options) ?? Promise.resolve();
    batch.before.catch(() => {}); // the next start or the end throws it
    batch.lines = [];
    batch.bytes = 0;
  }
}

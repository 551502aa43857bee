import { Pool } from "undici";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-drain.ts <url> <calls>: fetches the pages that a sync fetches, and does nothing with them.

const [url = "", calls = 0] = [process.argv[2], Number(process.argv[3])];
const LIMIT = 1000;
const STEP = LIMIT - 50;
const CONCURRENCY = 4;

const pool = new Pool(url, { connections: CONCURRENCY, allowH2: false });
let next = 0;

async function drain(): Promise<void> {
  while (next < calls) {
    const offset = next;
    next += STEP;
    const path = `/v3/conversations/attribution-engine?limit=${LIMIT}&offset=${offset}`;
    const { body } = await pool.request({ method: "GET", path });
    await body.arrayBuffer();
  }
}

const stopwatch = new Stopwatch();
await stopwatch.time(() => Promise.all(Array.from({ length: CONCURRENCY }, drain)));
stopwatch.print();
await pool.close();

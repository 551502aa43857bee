import { countedCalls } from "../basis.ts";
import { isDone } from "../looks.ts";
import type { Ran, World } from "../types.ts";
import { keepBooks } from "./books.ts";
import type { Client } from "./types.ts";

/** Keeps the calls and imports of all clients after a process; calls are read by proven full passes alone. */
export function keepAgency(world: World, ran: Ran): void {
  for (const client of world.clients) {
    keepCounted(world, client);
    if (ran.args.includes("remove")) keepRemoved(client);
  }
  const { importing } = world;
  if (importing === undefined || !ran.args.includes("import") || ran.isKilled || !isDone(ran)) return;
  world.balances = [...importing].map(([client, file]) => {
    const [{ of } = {}] = client.read("SELECT max(import_id) AS of FROM outcome_imports");
    return { client, file, amounts: keepBooks(client, file, Number(of)) };
  });
}

function keepCounted(world: World, client: Client): void {
  const [run] = client.read(
    "SELECT run_id, status, verdict, mode FROM sync_runs ORDER BY run_id DESC LIMIT 1",
  );
  // A run that ended early has stored the pages that it read.
  if (run?.status !== "done") client.counted = undefined;
  if (run?.status !== "done" || Number(run.run_id) === client.lastRun) return;
  client.lastRun = Number(run.run_id);
  const isFull = run.mode === "full" && (run.verdict === "exact" || run.verdict === "verified");
  if (isFull || (run.mode === "incremental" && run.verdict === "probable"))
    client.judgedAt.push(world.uptime());
  // An incremental pass does not read late corrections.
  client.counted = isFull ? countedCalls(client) : undefined;
  if (isFull) world.count("full passes");
}

/** A killed removal may have removed the import. */
function keepRemoved(client: Client): void {
  const removed = new Set(
    client
      .read("SELECT import_id FROM outcome_imports WHERE removed_at IS NOT NULL")
      .map(({ import_id }) => Number(import_id)),
  );
  client.jobs = client.jobs.filter(({ of }) => !removed.has(of));
}

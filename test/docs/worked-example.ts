import { join } from "node:path";
import Database from "better-sqlite3";
import { startSandbox } from "../../src/sandbox/server.ts";
import { calltally, settingsFor } from "../support/run.ts";

/** A row of a page's table of calls; empty cells are members that the service omits. */
const ROW =
  /^\| \d+ \| (?<call_started>[^|]*) \| (?<caller_id>[^|]*) \| (?<utm_source>[^|]*) \| (?<disposition>[^|]*) \| (?<duration>[^|]*) \|$/gm;

/** Syncs the calls in a table of a page into `example.db` in a folder; does nothing for a page without one. */
export async function makeWorkedExample(text: string, folder: string): Promise<void> {
  const rows = [...text.matchAll(ROW)].map(({ groups = {} }) =>
    Object.fromEntries(Object.entries(groups).map(([name, cell]) => [name, cell.replaceAll("`", "").trim()])),
  );
  if (rows.length === 0) return;
  await using sandbox = await startSandbox({ calls: 0, now: new Date("2026-10-31T23:00:00Z") });
  for (const { call_started, utm_source, duration, ...members } of rows) {
    sandbox.calls.insert({
      ...members,
      call_started: `${call_started?.replace(" ", "T")}:00.000Z`,
      duration: duration === "" ? undefined : Number(duration),
      dni_data: { utm_source, referring_url: "https://shop.example/" },
    });
  }
  const options = { cwd: folder, env: settingsFor(sandbox) };
  const { stdout } = await calltally(["sync", "--database", "example.db"], options);
  if (!stdout.includes("verdict   exact"))
    throw new Error(`The worked example could not be synced: ${stdout}`);
  // The reader of the page has the settings of another service.
  const database = new Database(join(folder, "example.db"));
  database.exec("UPDATE origin SET base_url = NULL").close();
}

import { join } from "node:path";
import { expect } from "vitest";
import { spell } from "../../support/warehouses/forgettable.ts";
import { type Folder, makeServiceFolder } from "../folder.ts";

const DAY_MS = 86_400_000;
export const NUMBER = "+12145550123";
export const OTHER = "+12145550124";
export const PERSON = { number: NUMBER, callIds: [], traces: [...spell(NUMBER), "gusher"] };

export interface Row {
  call_id: number;
  caller_id: string;
  call_started?: string;
  [member: string]: unknown;
}

export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** A row as sent by the service; rows of the person have personal data in all places. */
function toRow({ dni_data = {}, ...row }: Row): string {
  const said = `A gusher, call me at ${NUMBER} or (214) 555-0123.`;
  return JSON.stringify({
    call_started: daysAgo(row.call_id),
    duration: 90,
    disposition: "ANSWERED",
    tracking_number: "+19725550100",
    ...(row.caller_id === NUMBER && { transcription: said, summary: said, callback: NUMBER }),
    dni_data: { utm_source: "google", utm_medium: "cpc", utm_campaign: "spring", ...(dni_data as object) },
    ...row,
  });
}

/** A working folder whose settings name a service of these rows, newest first like the service. */
export async function serve(rows: readonly Row[], keep: Record<string, string> = {}) {
  const folder = await makeServiceFolder(rows.map(toRow), { CALLTALLY_GONE_AFTER_HOURS: "0", ...keep });
  return {
    ...folder,
    data: join(folder.path, "data"),
    sync: async (...args: string[]) => {
      const { code, stdout, stderr } = await folder.run("sync --json", ...args);
      expect([0, 3], stderr).toContain(code);
      return JSON.parse(stdout);
    },
  };
}

/** The names of the callers of calls. */
export const callersOf = ({ read }: Pick<Folder, "read">, ...ids: number[]) =>
  read(`SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id) WHERE call_id IN (${ids})`).map(
    ({ caller }) => String(caller),
  );

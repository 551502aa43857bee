import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEEP_ALL, type Keep } from "../../src/calls/privacy/keep-settings.ts";
import { forgetCallers } from "../../src/operate/forget/forget-callers.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { rowOf, startRowService } from "../support/services/call-service.ts";
import { locked, readRows } from "../support/warehouses/warehouse.ts";

const FORGOTTEN = "+4930123456";
const callOf = (id: number, members: object) => JSON.stringify({ ...JSON.parse(rowOf(id)), ...members });
const ofOther = (members: object) => callOf(2, { caller_id: "+12145550123", ...members });
const linked = (query: string) => ofOther({ recording_url: `https://r.example/2?${query}` });

it.each<{ served: string; keep?: Partial<Keep>; later?: string }>([
  { keep: { transcripts: "never" }, served: ofOther({ transcription: `Call ${FORGOTTEN}.` }) },
  { keep: { summaries: "never" }, served: ofOther({ summary: `Call ${FORGOTTEN}.` }) },
  { keep: { caller_numbers: "never" }, served: callOf(2, { caller_id: `sip:${FORGOTTEN}@example.com` }) },
  { keep: { recording_urls: "never" }, served: linked(`from=${FORGOTTEN}`) },
  { served: linked("Signature=one"), later: linked(`Signature=${FORGOTTEN}`) },
  { served: linked("from=home"), later: linked(`from=${FORGOTTEN}`) },
])(
  "sync of an unchanged call does not restore a forgotten number: $keep, $served, $later",
  async ({ keep, served, later }) => {
    const own = callOf(1, { caller_id: FORGOTTEN });
    await using service = await startRowService([own, served]);
    const full = { force: "full" } as const;
    await service.sync({ ...full, keep: { ...KEEP_ALL, ...keep } });
    {
      using warehouse = openWarehouse(service.database);
      forgetCallers(locked(warehouse), [{ caller: FORGOTTEN }], {
        nowMs: Date.parse("2026-11-20T00:00:00Z"),
      });
    }
    service.calls = [own, later ?? served];
    await service.sync({ ...full, keep: KEEP_ALL });
    const files = readdirSync(service.folder).map((name) =>
      readFileSync(join(service.folder, name), "latin1"),
    );
    expect(readRows(service.database, "SELECT call_id FROM calls ORDER BY call_id")).toEqual([
      { call_id: 1 },
      { call_id: 2 },
    ]);
    expect(files.some((bytes) => bytes.includes(FORGOTTEN.slice(1)))).toBe(false);
  },
);

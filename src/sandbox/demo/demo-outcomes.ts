import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importOutcomes } from "../../features/outcomes/import-outcomes.ts";
import type { DemoAccount } from "./demo-account.ts";

/** Imports the sandbox's jobs. */
export function addOutcomes({ database, timezone, sandbox }: DemoAccount): void {
  const folder = mkdtempSync(join(tmpdir(), "calltally-demo-"));
  try {
    const file = join(folder, "jobs.csv");
    writeFileSync(file, [...sandbox.jobs()].join(""));
    const account = { database, timezone, currency: undefined };
    importOutcomes(account, [file], {
      source: "jobs",
      named: undefined,
      withinDays: 30,
      map: {},
      stages: new Map(),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

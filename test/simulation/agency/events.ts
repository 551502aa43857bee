import { mishap } from "../events.ts";
import type { EventKind } from "../types.ts";
import { arriveCalls, correctCall, removeCall, silence } from "./calls.ts";
import { importJobs, removeJobs } from "./jobs.ts";
import { changeRules, forget, look, misbehave, sync } from "./operator.ts";

/** The events of an agency's life; a new capability adds one row. */
export const AGENCY_EVENTS: readonly EventKind[] = [
  { name: "calls", perYear: 4380, isAlways: true, apply: arriveCalls },
  { name: "correction", perYear: 120, apply: correctCall },
  { name: "removal", perYear: 60, apply: removeCall },
  { name: "silence", perYear: 40, isAlways: true, apply: silence },
  { name: "fault", perYear: 15, apply: misbehave },
  { name: "operator's kill", perYear: 30, apply: mishap("kill", "operator") },
  { name: "operator's full disk", perYear: 20, apply: mishap("full disk", "operator") },
  { name: "sync", perYear: 300, isAlways: true, apply: sync },
  { name: "jobs", perYear: 120, isAlways: true, apply: importJobs },
  { name: "removed jobs", perYear: 24, apply: removeJobs },
  { name: "rules", perYear: 15, apply: changeRules },
  { name: "forget", perYear: 15, apply: forget },
  { name: "look", perYear: 90, isLast: true, apply: look },
];

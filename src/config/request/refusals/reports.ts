import type { Refusal } from "./refusal.ts";

/** What the conflicts of a report in `calltally.yaml` depend on, besides its request. */
export interface ReportParts {
  cron?: string | undefined;
  deliver?: readonly { email?: unknown; to?: unknown }[] | undefined;
  raw?: boolean | undefined;
  top?: number | undefined;
  min_cell?: number | undefined;
  filter?: { include_gone?: boolean | undefined } | undefined;
}

type ReportOption =
  | keyof ReportParts
  | "ring_back"
  | "personal_data"
  | "engine"
  | "require"
  | "on_restatement";

export const REPORT_REFUSALS: readonly Refusal<ReportParts, ReportOption>[] = [
  {
    options: ["ring_back"],
    without: ["personal_data"],
    text: "ring_back needs personal_data: true: its mails are about single callers",
  },
  {
    options: ["ring_back"],
    when: ({ deliver = [] }) => !deliver.some(({ email, to }) => email ?? to),
    text: "ring_back needs a mail below deliver: it is a part of mails only",
  },
  {
    options: ["ring_back", "min_cell"],
    text: "ring_back cannot be used with min_cell: its figures are to be shared, and callers are not",
  },
  {
    options: ["ring_back", "engine"],
    text: "ring_back cannot be used with engine: the cluster computes figures, but not lists",
  },
  {
    options: ["require"],
    without: ["deliver"],
    text: "require needs deliver: it limits what is delivered",
  },
  {
    options: ["on_restatement"],
    when: ({ cron, deliver }) => cron === undefined || deliver === undefined,
    text: "on_restatement needs cron and deliver: it delivers a due report again after it changed",
  },
  {
    options: ["on_restatement"],
    when: ({ raw, top, min_cell, filter }) => raw || (top ?? min_cell) !== undefined || filter?.include_gone,
    text: "on_restatement cannot be used with raw, top, min_cell or include_gone: their figures are not compared",
  },
  {
    options: ["on_restatement", "engine"],
    text: "on_restatement cannot be used with engine: only the warehouse records what was exported",
  },
];

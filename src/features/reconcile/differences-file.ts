import { sideFile } from "../../export/side-file.ts";
import { type Difference, REASONS } from "./reconcile.ts";

/** The calls on which a list and the copy do not agree. */
export const DIFFERENCES_FILE = sideFile("the differences", [
  { name: "where", type: "text" },
  { name: "reason", type: "text" },
  { name: "detail", type: "text" },
  { name: "call_id", type: "integer" },
  { name: "started", type: "local time" },
  { name: "account", type: "text" },
  { name: "line", type: "integer" },
]);

export function writeDifferences(path: string, differences: readonly Difference[]): void {
  const rows = differences.map(({ reason, detail, call_id, started, account, line }) => [
    ...[REASONS[reason].side, reason, detail ?? null],
    ...[call_id, started, account ?? null, line],
  ]);
  DIFFERENCES_FILE.write(path, rows, "Compared");
}

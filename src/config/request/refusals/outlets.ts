import { isPageFormat } from "../option-values.ts";
import type { Refusal } from "./refusal.ts";

/** What the conflicts of a command line depend on, besides its request. */
export interface OutletParts {
  /** How many accounts write files of their own. */
  accounts: number;
  format?: string | undefined;
}

export const OUTLET_REFUSALS: readonly Refusal<OutletParts, "stdout" | "out" | "json">[] = [
  {
    options: ["stdout"],
    when: ({ accounts, format }) => accounts > 1 && (isPageFormat(format) ? "page" : "file"),
    text: "{stdout} writes one {found}, but there are several accounts",
    hint: "Name one with --account.",
  },
  {
    options: ["stdout", "out"],
    text: "Cannot use {out} with {stdout}, which writes no files",
    hint: "Leave out one of them.",
  },
  {
    options: ["stdout", "json"],
    text: "Cannot use {json}, which prints the manifest, with {stdout}, which writes none",
    hint: "Leave out one of them; --format json writes the rows as JSON.",
  },
];

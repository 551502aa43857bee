import type { z } from "zod";
import {
  DELIMITER_NAMES,
  FORMATS,
  PRIVATE_COLUMNS,
  PROFILES,
} from "../../../src/config/request/option-values.ts";
import { type AccountName, RANGE } from "./accounts.ts";
import type { SceneRequest } from "./ask.ts";

type Request = z.input<SceneRequest>;

interface FileOption {
  /** The values that are tried for an account: all, where the program has a list of them. */
  values: (account: AccountName) => readonly unknown[];
  /** What is asked for with and without it. */
  of: Request;
  /** The value that is the same as none. */
  standard?: unknown;
}

const CALLS: Request = { contents: ["calls"], range: RANGE };
const SOURCES: Request = { contents: ["source"], range: RANGE };
/** A caller of each account, in a spelling of its own. */
const CALLERS: Record<AccountName, string> = {
  oahu: "+1 808 555 0113",
  chicago: "+1 (312) 555-0113",
  howe: "+61 2655 50141",
};

/** Options that change what files have apart from figures. */
export const FILE_OPTIONS = {
  caller: { values: (account) => [CALLERS[account]], of: CALLS },
  chance: { values: () => [true], of: { ...SOURCES, compare: "previous" } },
  columns: { values: () => [["calls"], ["first_call_at"]], of: SOURCES },
  contents: { values: () => [["channel"], ["calls"], ["callers"]], of: SOURCES },
  conversion: {
    values: () => [{ name: "A call" }, { value: 3.5, currency: "CHF" }],
    of: { contents: ["google-ads"], range: { from: "2026-02-20", to: "2026-04-08" } },
  },
  delimiter: { values: () => DELIMITER_NAMES, of: SOURCES, standard: "," },
  format: { values: () => FORMATS, of: SOURCES, standard: "csv" },
  min_cell: { values: () => [2, 5], of: SOURCES },
  profile: { values: () => PROFILES, of: { ...CALLS, with: ["transcription"] } },
  rows: { values: () => [true], of: { format: "explore", range: RANGE } },
  versus: { values: () => ["google", "bing"], of: SOURCES },
  with: { values: () => PRIVATE_COLUMNS.map((column) => [column]), of: CALLS },
} satisfies Record<string, FileOption>;

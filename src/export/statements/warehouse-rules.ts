import { localMinute } from "../../base/calendar/local-time.ts";
import { longLabelOf } from "../../base/calendar/period-text.ts";
import { formatNumber } from "../../base/text/locale.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { missingCallThreshold } from "../../service/paging/verdict.ts";
import { type Rule, rule } from "./rule.ts";

/** What a warehouse is known to lack. */
export const WAREHOUSE_RULES = {
  no_finished_sync: rule({
    level: "doubt",
    find: ({ warehouse }) => (warehouse?.run === null ? {} : undefined),
    say: () => "No sync has finished yet: only the calls read so far are here.",
    hint: () => "Run `calltally sync`; `calltally status` shows why the last one did not finish.",
  }),
  unverified: rule({
    level: "doubt",
    find: ({ warehouse: { run, advice = null } = {} }) =>
      run?.verdict === "unverified" ? { run_id: run.run_id, reason: run.verdict_reason, advice } : undefined,
    say: ({ run_id, reason }) =>
      `Run ${run_id}, the last sync, is unverified, so calls may be missing: ${reason ?? "it does not say why"}.`,
    hint: ({ advice }) => advice ?? "Run `calltally sync --full`.",
  }),
  rejected_rows: rule<{ rows: number | null; listed: number; is_over_threshold: number }>({
    level: "doubt",
    levelOf: ({ is_over_threshold }) => (is_over_threshold ? "doubt" : "caution"),
    find: ({ warehouse: { rejected = null } = {} }) =>
      rejected && {
        ...rejected,
        is_over_threshold: Number(rejected.rows > missingCallThreshold(rejected.listed)),
      },
    counts: ["rows"],
    say: ({ rows, listed }) =>
      rows === null
        ? "Some rows of the service could not be read, and are in no figure."
        : `${formatQuantity(rows, "row")} of the service (${toPercent(rows / listed)}) could not be read, and ${rows === 1 ? "is" : "are"} in no figure.`,
    hint: () => "See them with `calltally status`, and report them to the service's support.",
  }),
  withheld_calls: rule<{ calls: number | null }>({
    level: "doubt",
    find: ({ warehouse: { withheld_calls: calls = 0 } = {} }) => (calls === 0 ? undefined : { calls }),
    counts: ["calls"],
    say: ({ calls }) =>
      `${calls === null ? "Some calls" : formatQuantity(calls, "call")} went missing in one pass, over the missing-call threshold, and still ${calls === 1 ? "counts" : "count"}.`,
    hint: ({ calls }) =>
      `Find out why; to accept it: calltally sync --full --accept-gone ${calls ?? "CALLS"}.`,
  }),
  first_load: rule({
    level: "doubt",
    find: ({ warehouse }) => (warehouse?.first_load ? {} : undefined),
    say: () => "The first load has not ended: calls are missing, and first-time callers are not known yet.",
    hint: () => "Run `calltally sync`, which resumes it.",
  }),
  other_unit: rule<{ calls: number | null; unit: string | null }>({
    level: "doubt",
    find: ({ warehouse: { origin, other_unit_calls: calls = 0 } = {} }) =>
      origin === undefined || calls === 0 ? undefined : { calls, unit: origin.org_unit_id },
    counts: ["calls"],
    say: ({ calls, unit }) =>
      `${calls === null ? "Some calls" : formatQuantity(calls, "call")} ${calls === 1 ? "belongs" : "belong"} to another organization unit than ${unit}, the one asked for.`,
    hint: () =>
      "The service may ignore the setting org_unit_id, or interpret it differently: ask its support. `calltally export org_unit` writes the existing units.",
  }),
  shared_calls: rule({
    level: "doubt",
    find: ({ warehouse }) => (warehouse?.shared_calls ? { ...warehouse.shared_calls } : undefined),
    say: ({ account }) => `The account ${account} has the same calls: these may be another client's.`,
    hint: () =>
      "Find out which of the two has the other's token, give it its own, and move its warehouse away before its next sync. Where one token may read the calls of both, set org_unit_id for each.",
  }),
  rules_changed: rule({
    level: "caution",
    find: ({ warehouse }) => (warehouse?.rules_changed ? {} : undefined),
    say: () =>
      "The attribution settings have changed: these figures follow the old ones until the next sync or export.",
    hint: () => "Run `calltally sync` or `calltally export` with these settings.",
  }),
  made_up: rule({
    level: "note",
    find: ({ warehouse }) => (warehouse?.origin.made_by_demo ? {} : undefined),
    say: () => "These calls are made up: calltally demo made the warehouse.",
  }),
  missing: rule<{ calls: number | null; until: string }>({
    level: "note",
    find: ({ warehouse: { missing } = {}, range, timezone = range?.timezone ?? "UTC" }) =>
      missing ? { calls: missing.calls, until: localMinute(missing.until, timezone) } : undefined,
    counts: ["calls"],
    say: ({ calls, until }) =>
      `${calls === null ? "Some calls" : formatQuantity(calls, "call")} that the service no longer lists still ${calls === 1 ? "counts" : "count"}, until a full pass after ${until} misses ${calls === 1 ? "it" : "them"}, too.`,
    hint: ({ until }) => `After ${until}, run \`calltally sync --full\`.`,
  }),
  unlisted: rule<{ calls: number | null; since: string }>({
    level: "note",
    find: ({ warehouse: { unlisted } = {} }) => (unlisted ? { ...unlisted } : undefined),
    counts: ["calls"],
    say: ({ calls, since }) =>
      `${calls === null ? "Some" : formatCount(calls)} ${calls === 1 ? "call is" : "calls are"} older than any that the service lists, since ${longLabelOf(since.slice(0, 10))}; they still count.`,
  }),
} satisfies Record<string, Rule>;

/** One decimal, but never 0.0% or 100.0% of some. */
function toPercent(share: number): string {
  if (share < 0.0005) return "less than 0.1%";
  return `${formatNumber(share * 100, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}%`;
}

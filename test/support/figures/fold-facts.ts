import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import type { AttributionRules } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";

/** A call of a warehouse; it has a digest of its caller if the number is not kept. */
export interface KeptCall extends Call {
  isGone: boolean;
  digest?: string | null;
}

/** Computes facts, callers and their count from scratch, as `readFacts` reads them: by the rules, call by call. */
export function foldFacts(
  calls: readonly KeptCall[],
  rules: AttributionRules,
  toName = (caller: string) => caller,
) {
  const facts = calls
    .toSorted((a, b) => a.call_id - b.call_id)
    .map(({ isGone, digest = null, ...call }) => {
      const { caller, ...facts } = attributeCall(call, rules);
      const name = caller === null ? digest : toName(caller);
      return { call_id: call.call_id, ...facts, caller: name, is_live: !isGone };
    });
  // Of unknown time last: `~` comes after any digit.
  const startOf = ({ call_started }: (typeof facts)[number]) => call_started ?? "~";
  const inOrder = facts.toSorted((a, b) =>
    startOf(a) === startOf(b) ? a.call_id - b.call_id : startOf(a) < startOf(b) ? -1 : 1,
  );
  const byCaller = Map.groupBy(inOrder, ({ caller }) => caller);
  byCaller.delete(null);
  const firsts = [...byCaller].map(([caller, all]) => ({
    caller,
    first: all.find(({ is_live }) => is_live),
  }));
  const firstIds = new Set(firsts.map(({ first }) => first?.call_id));
  return {
    facts: facts.map((row) => ({ ...row, is_first_call: firstIds.has(row.call_id) })),
    callers: firsts
      .map(({ caller, first }) => ({
        caller,
        first_call_id: first?.call_id ?? null,
        first_call_started: first?.call_started ?? null,
      }))
      .toSorted((a, b) => (String(a.caller) < String(b.caller) ? -1 : 1)),
    counts: [{ name: "calls", value: facts.length }],
  };
}

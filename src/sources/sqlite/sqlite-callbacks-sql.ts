/** A later call of the caller of `f`. */
const LATER =
  "later.caller_id = f.caller_id AND later.is_live AND (later.call_started, later.call_id) > (f.call_started, f.call_id)";

/** Conditions of the last missed call of a caller who was not answered since. */
export const UNREACHED = [
  "f.caller_id IS NOT NULL",
  "f.call_started IS NOT NULL",
  "f.outcome = 'missed'",
  `NOT EXISTS (SELECT 1 FROM call_facts AS later WHERE ${LATER} AND later.outcome IN ('answered', 'missed'))`,
] as const;

/** The missed calls of the caller of `f` since the last answered one. */
const MISSED = `FROM call_facts AS missed
  WHERE missed.caller_id = f.caller_id AND missed.outcome = 'missed' AND (missed.is_live OR missed.call_id = f.call_id)
    AND missed.call_started IS NOT NULL AND NOT EXISTS (SELECT 1 FROM call_facts AS answered
      WHERE answered.caller_id = f.caller_id AND answered.is_live AND answered.outcome = 'answered'
        AND (answered.call_started, answered.call_id) > (missed.call_started, missed.call_id))`;

export const MISSED_TEXTS = {
  missed_calls: `(SELECT count(*) ${MISSED})`,
  first_missed_at: `(SELECT min(missed.call_started) ${MISSED})`,
} as const;

import { z } from "zod";
import { attempt } from "../../base/errors.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { ok, warn } from "./check.ts";

/** A call's duration as served, and its transcript. */
export interface DurationSample {
  duration: number | null;
  /** JSON array of {channel, time (mm:ss), text}. */
  transcription_details: string | null;
}

/** For shorter calls, rounding to seconds has too much effect. */
const MIN_SPOKEN_SECONDS = 10;
const MIN_SAMPLES = 5;

/**
 * Compares durations with the last time in each transcript, in minutes and seconds: the API's document does not name
 * the unit of `duration`. A call lasts a little longer than its transcript.
 */
export function judgeDuration(samples: readonly DurationSample[], unit: AttributionRules["duration_unit"]) {
  const name = "duration unit";
  const ratios = samples
    .flatMap(({ duration, transcription_details }) => {
      const spoken = lastSpokenSeconds(transcription_details);
      return duration === null || spoken < MIN_SPOKEN_SECONDS ? [] : [duration / spoken];
    })
    .sort((a, b) => a - b);
  const median = ratios[ratios.length >> 1];
  if (median === undefined || ratios.length < MIN_SAMPLES) {
    return ok(name, `${unit}; too few transcripts to check this`);
  }
  const measured = unitOf(median);
  if (measured === unit) return ok(name, `${unit}, as ${ratios.length} transcripts agree`);
  const measure = `durations are about ${Number(median.toPrecision(2))} times the seconds in the transcripts`;
  if (measured === undefined) {
    return warn(
      name,
      `${measure}: neither seconds nor milliseconds`,
      "Ask the support of the service for the unit.",
    );
  }
  return warn(
    name,
    `${measure}: they are ${measured}, not ${unit}`,
    `Change the setting duration_unit to ${measured}.`,
  );
}

function unitOf(ratio: number): AttributionRules["duration_unit"] | undefined {
  if (ratio >= 0.9 && ratio < 30) return "seconds";
  return ratio >= 900 && ratio < 30_000 ? "milliseconds" : undefined;
}

const detailsSchema = z.array(z.object({ time: z.string() }));

/** The latest time in a transcript, in seconds; 0 if none can be read. */
function lastSpokenSeconds(details: string | null): number {
  // Whether rows are damaged is not the question here.
  const lines = attempt(() => detailsSchema.parse(JSON.parse(details ?? "[]"))) ?? [];
  return Math.max(0, ...lines.map(({ time }) => toSeconds(time)));
}

/** 01:05 → 65; 0 for invalid text. */
function toSeconds(time: string): number {
  if (!/^\d+(:\d\d){1,2}$/.test(time)) return 0;
  return time.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

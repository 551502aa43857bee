/** How long a call lasted, as written. */
export interface ListedLength {
  value: number;
  /** A plain number is in the unit of durations as served. */
  unit: "as served" | "seconds";
}

/** 205, 205.0 */
const PLAIN = /^\d+(?:\.\d+)?$/;
/** 3:25, 0:03:25, 0:03:25.4 */
const CLOCK = /^(?:(?<hours>\d+):)?(?<minutes>\d{1,4}):(?<seconds>[0-5]\d)(?:[.,]\d+)?$/;
/** 3m 25s, 1 hr 2 min, 205 sec. */
const WORDS =
  /^(?=\d)(?:(?<hours>\d+)\s*h(?:(?:ou)?rs?)?\.?\s*)?(?:(?<minutes>\d+)\s*m(?:in(?:ute)?s?)?\.?\s*)?(?:(?<seconds>\d+)\s*s(?:ec(?:ond)?s?)?\.?)?$/i;

/** Reads how long a call lasted; undefined for other text. @param unit of a plain number */
export function readLength(text: string, unit: ListedLength["unit"] = "as served"): ListedLength | undefined {
  if (PLAIN.test(text)) return { value: Number(text), unit };
  const parts = (CLOCK.exec(text) ?? WORDS.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const [hours, minutes, seconds] = [parts.hours, parts.minutes, parts.seconds].map((part = "0") =>
    Number(part),
  );
  return { value: ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0), unit: "seconds" };
}

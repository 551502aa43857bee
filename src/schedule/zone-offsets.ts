const DAY_MS = 86_400_000;

/** How far a zone's clocks are ahead of UTC at an instant; both in milliseconds. */
export type OffsetAt = (instantMs: number) => number;

/** Returns the offsets of an IANA time zone. */
export function offsetsOf(timezone: string): OffsetAt {
  if (timezone === "UTC") return () => 0;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  return (instantMs) => {
    const name = format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes, seconds = "0"] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    if (sign === undefined) return 0;
    const offsetMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === "-" ? -offsetMs : offsetMs;
  };
}

/** Returns the first instant after `fromMs`, up to `toMs`, at which the clocks are changed; looks once a day. */
export function findChange(offsetAt: OffsetAt, fromMs: number, toMs: number): number | undefined {
  const before = offsetAt(fromMs);
  for (let unchanged = fromMs; unchanged < toMs; ) {
    let changed = Math.min(unchanged + DAY_MS, toMs);
    if (offsetAt(changed) === before) {
      unchanged = changed;
      continue;
    }
    while (changed - unchanged > 1) {
      const middle = Math.floor((unchanged + changed) / 2);
      if (offsetAt(middle) === before) unchanged = middle;
      else changed = middle;
    }
    return changed;
  }
  return undefined;
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export interface Age {
  text: string;
  ms: number;
}

/** @throws Error that says what is allowed */
export function parseAge(text: string): Age {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (unit === "m" || unit === "h" || unit === "d") return { text, ms: Number(count) * UNIT_MS[unit] };
  throw new Error("must be a number of minutes, hours or days, such as 30m, 2h or 1d");
}

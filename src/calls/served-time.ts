import { z } from "zod";
import { isSortable } from "./call.ts";

/** As calltally writes a time, on a day that every month has. */
const UTC_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time of the service, ISO 8601, into UTC. Without an offset it counts as UTC. */
export const servedTime = z.iso
  .datetime({ offset: true, local: true })
  .nullish()
  .transform((value) =>
    value ? new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`).toISOString() : null,
  )
  .refine((value) => value === null || isSortable(value), { error: "not in the years 0000 to 9999 of UTC" });

/** Whether it needs no parsing: nearly all times do not. */
export const isWrittenTime = (value: unknown): value is string =>
  typeof value === "string" && UTC_TIME.test(value);

/** Parses ISO 8601 as documented, into UTC; undefined for any other value. */
export function parseTime(value: unknown): string | null | undefined {
  return servedTime.safeParse(value).data;
}

import { z } from "zod";

// The types of the API's document, written independently of the sandbox, which is under test.

export const integer = z.int();
export const text = z.string();
export const flag = z.boolean();
export const isoUtc = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/, "not ISO 8601 UTC");
export const isoUtcMs = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)$/, "not ISO 8601 UTC with milliseconds");
export const localDateTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, "not YYYY-MM-DD HH:MM:SS");
export const phoneNumber = z.string().regex(/^\+\d[\d ().-]*$/, "not in international format");
export const url = z.url();
export const uuid = z.guid();
export const anyObject = z.record(z.string(), z.unknown());

/** An object whose members are strings; which of them exist is not documented. */
export const texts = (...names: string[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, text]))).partial();

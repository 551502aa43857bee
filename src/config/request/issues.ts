import * as z from "zod";
import { problemOf } from "../../base/errors.ts";

/** Returns a zod check that runs a parser which throws an Error. */
export function by<T>(parse: (text: string) => unknown) {
  return (value: T, context: { addIssue: (message: string) => void }): void => {
    const problem = problemOf(() => parse(String(value)));
    if (problem !== undefined) context.addIssue(problem);
  };
}

export const parsed = (parse: (text: string) => unknown) => z.string().superRefine(by(parse));

/** An option with its description; the examples are for the JSON Schema. */
export const option = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  ...examples: unknown[]
) => schema.meta({ description, ...(examples.length > 0 && { examples }) }).optional();

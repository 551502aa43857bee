import { describeError } from "../base/errors.ts";

/** Returns a check of a value, as text, by a parser that throws an Error. */
export function by<T>(parse: (text: string) => unknown) {
  return (value: T, context: { addIssue: (message: string) => void }): void => {
    try {
      parse(String(value));
    } catch (error) {
      context.addIssue(describeError(error));
    }
  };
}

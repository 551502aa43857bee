import { UsageError } from "../base/errors.ts";

export function notOurs(file: string): UsageError {
  return new UsageError(`Cannot run the demo: ${file} is there, and calltally demo did not make it so`, {
    hint: "It was left as it is. Move or remove it, or run the demo in another folder.",
  });
}

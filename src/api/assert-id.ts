import { UsageError } from "../base/errors.ts";

/** Throws a UsageError for what cannot be an identifier: they are whole numbers in all the document's examples. */
export function assertId(id: number, of: string): void {
  if (!Number.isSafeInteger(id) || id < 0)
    throw new UsageError(`${id} is not the id of ${of}: expected a whole number`);
}

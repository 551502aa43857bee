import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../base/errors.ts";
import { reasonOf } from "../base/file-access.ts";

/**
 * Reads a JSON object from a file, or from standard input for `-`.
 *
 * @throws UsageError that quotes nothing of the file, which may hold secrets
 */
export async function readJson(file: string): Promise<object> {
  const content = file === "-" ? await buffer(process.stdin) : readFile(file);
  try {
    // Without a byte order mark. Text that is not UTF-8 would be sent with other letters.
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // The parser's message quotes the text.
  }
  throw new UsageError(`${file === "-" ? "Standard input" : file} is not a JSON object in UTF-8`);
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new UsageError(`Cannot read the file of the webhook, ${file}: ${reasonOf(cause)}`);
  }
}

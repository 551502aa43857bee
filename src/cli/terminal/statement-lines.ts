import type { Level } from "../../export/statements/rule.ts";
import { doubtsOf, exitCodeOf, type Statement, say, toSpoken } from "../../export/statements/statements.ts";
import type { Context } from "../context.ts";

/** Returns doubts for `--quiet`, which hides the lines: cron mails what it leaves. */
export function quietDoubts({ options }: Context, statements: readonly Statement[]): string[] {
  return options.quiet ? doubtsOf(statements).map((doubt) => say(doubt).text) : [];
}

/** Returns what a command that prints data says next to it: doubts, cautions, and the exit code. */
export function besideData(statements: readonly Statement[]) {
  const sayAll = (level: Level) =>
    statements.filter((statement) => statement.level === level).map((statement) => say(statement).text);
  return { errors: sayAll("doubt"), notes: sayAll("caution"), exit: exitCodeOf(statements) };
}

/** Adds the words to the statements of a manifest. */
export function toJson<Made extends { manifest: { statements: readonly Statement[] } }>(result: Made) {
  return {
    ...result,
    manifest: { ...result.manifest, statements: result.manifest.statements.map(toSpoken) },
  };
}

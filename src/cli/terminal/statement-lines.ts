import type { Level } from "../../export/statements/rule.ts";
import {
  doubtsOf,
  exitCodeOf,
  type Statement,
  say,
  saySome,
  toSpoken,
} from "../../export/statements/statements.ts";
import type { Context } from "../context.ts";

export const SEE_MANIFEST = "see manifest.json";

/** Returns statements as lines, doubts with what to do about them. @param where the rest is. @default nowhere: all are shown */
export function linesOf(statements: readonly Statement[], where?: string): string[] {
  const hints = new Map(doubtsOf(statements).map((doubt) => [say(doubt).text, say(doubt).hint]));
  const texts = where === undefined ? statements.map((each) => say(each).text) : saySome(statements, where);
  return texts.flatMap((text) => [text, ...(hints.get(text) ? [`  ${hints.get(text)}`] : [])]);
}

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

import { CalltallyError, EXIT, type ExitCode } from "../base/errors.ts";
import { toPrintable } from "../base/printable.ts";

/** What ClickHouse says of a statement that failed. */
interface ServerError {
  code: number;
  said: string;
}

const MAX_LENGTH = 500;

/** As 18.16 and later versions write it: `Code: 60, e.displayText() = DB::Exception: …, e.what() = …`, or `Code: 60. DB::Exception: …`. */
const FORM = /Code: (?<code>\d+)[.,] (?:e\.displayText\(\) = )?(?:\w+::)*\w+: (?<said>.*)/s;
const TAIL = /, (?:e\.what\(\) = |Stack trace).*|\(version .*|Stack trace:.*/s;

/** Codes of ClickHouse's ErrorCodes.cpp that ask for something other than a look at the statement. */
const EXITS: ReadonlyMap<number, ExitCode> = new Map<number, ExitCode>([
  ...[164, 192, 193, 194, 195, 291, 497, 516].map((code) => [code, EXIT.refused] as const),
  ...[158, 159, 160, 201, 202, 203, 209, 210, 236, 241, 242, 243, 252, 279, 307, 394, 439, 473, 745].map(
    (code) => [code, EXIT.unreachable] as const,
  ),
]);

const HINTS: Partial<Record<ExitCode, string>> = {
  [EXIT.refused]: "Check the user, CALLTALLY_PUBLISH_PASSWORD_FILE, and what the cluster lets that user do.",
  [EXIT.unreachable]: "The cluster is failing or busy: try again later.",
};

/** Codes for more time, rows or memory than a statement may take. */
const TOO_MUCH: ReadonlySet<number> = new Set([158, 159, 160, 241, 307]);
const TOO_MUCH_HINT =
  "A shorter period, a coarser grain, fewer dimensions or one account take less; or the cluster is busy: try again later.";

/** Codes for a table or a database that is not there. */
const MISSING: ReadonlySet<number> = new Set([60, 81]);
const MISSING_HINT = "calltally publish makes it: at each server, where it is missing.";

function readServerError(body: string): ServerError | undefined {
  const { code, said } = FORM.exec(body)?.groups ?? {};
  if (code === undefined || said === undefined) return undefined;
  const [line = ""] = said.replace(TAIL, "").trim().split("\n");
  return { code: Number(code), said: toPrintable(line.slice(0, MAX_LENGTH).replace(/[.,\s]+$/, "")) };
}

/**
 * Returns the error for a response that is none of success: in words of the server's, without its stack.
 *
 * @param doing such as `read the totals of acme`
 * @param hasRows whether the request held rows, which are no text for an error
 */
export function errorOfResponse(
  host: string,
  doing: string,
  { status, body, hasRows }: { status: number; body: string; hasRows: boolean },
): CalltallyError {
  const found = readServerError(body);
  if (found !== undefined) {
    const exitCode = EXITS.get(found.code) ?? EXIT.contract;
    const hint = TOO_MUCH.has(found.code)
      ? TOO_MUCH_HINT
      : MISSING.has(found.code)
        ? MISSING_HINT
        : HINTS[exitCode];
    // What it could not read of rows, it repeats.
    const said = hasRows && exitCode === EXIT.contract ? found.said.replace(/[:(].*/s, "") : found.said;
    return new CalltallyError(
      exitCode,
      `Cannot ${doing} at ${host}: ClickHouse says ${said} (code ${found.code})`,
      hint === undefined ? {} : { hint },
    );
  }
  const exitCode =
    status === 401 || status === 403 ? EXIT.refused : status >= 500 ? EXIT.unreachable : EXIT.contract;
  return new CalltallyError(
    exitCode,
    `Cannot ${doing} at ${host}: the response, status ${status}, is not from ClickHouse`,
    { hint: HINTS[exitCode] ?? "Is this the HTTP port of a ClickHouse server, and no proxy before it?" },
  );
}

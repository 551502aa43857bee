import { CalltallyError, EXIT, type ExitCode } from "../../base/errors.ts";
import { toPrintable } from "../../base/text/printable.ts";

const MAX_LENGTH = 500;

/** In 18.16 `Code: 60, e.displayText() = DB::Exception: …, e.what() = …`, later `Code: 60. DB::Exception: …`. */
const FORM = /Code: (?<code>\d+)[.,] (?:e\.displayText\(\) = )?(?:\w+::)*\w+: (?<message>.*)/s;
const TAIL = /, (?:e\.what\(\) = |Stack trace).*|\(version .*|Stack trace:.*/s;

const REFUSED_HINT =
  "Check the user, CALLTALLY_PUBLISH_PASSWORD_FILE, and that user's permissions in the cluster.";
const UNKNOWN_HINT =
  "Look up the code in ClickHouse's documentation, and check the version and the settings of that server.";
const BUSY_HINT = "The cluster is failing or busy: try again later.";

/** Codes of ClickHouse's ErrorCodes.cpp that are not about the statement. */
const KINDS: readonly { codes: readonly number[]; exitCode: ExitCode; hint: string }[] = [
  { codes: [164, 192, 193, 194, 195, 291, 497, 516], exitCode: EXIT.refused, hint: REFUSED_HINT },
  {
    // More time, rows or memory than a statement may take.
    codes: [158, 159, 160, 241, 307],
    exitCode: EXIT.unreachable,
    hint: "Use a shorter period, a coarser grain, fewer dimensions or one account; or try again later, if the cluster is busy.",
  },
  {
    codes: [201, 202, 203, 209, 210, 236, 242, 243, 252, 279, 394, 439, 473, 745],
    exitCode: EXIT.unreachable,
    hint: BUSY_HINT,
  },
  {
    // A missing table or database.
    codes: [60, 81],
    exitCode: EXIT.contract,
    hint: "`calltally publish` creates it on each server where it is missing.",
  },
];

function readServerError(body: string) {
  const { code, message } = FORM.exec(body)?.groups ?? {};
  if (code === undefined || message === undefined) return undefined;
  const [line = ""] = message.replace(TAIL, "").trim().split("\n");
  return { code: Number(code), message: toPrintable(line.slice(0, MAX_LENGTH).replace(/[.,\s]+$/, "")) };
}

/** @param hasRows whether the request contained rows, whose texts no error may repeat */
export function errorOfResponse(
  host: string,
  doing: string,
  { status, body, hasRows }: { status: number; body: string; hasRows: boolean },
): CalltallyError {
  const problem = readServerError(body);
  if (problem !== undefined) {
    const kind = KINDS.find(({ codes }) => codes.includes(problem.code));
    const exitCode = kind?.exitCode ?? EXIT.contract;
    // Errors quote rows that could not be read.
    const message =
      hasRows && exitCode === EXIT.contract ? problem.message.replace(/[:(].*/s, "") : problem.message;
    return new CalltallyError(
      exitCode,
      `Cannot ${doing} at ${host}: ClickHouse says ${message} (code ${problem.code})`,
      { hint: kind?.hint ?? UNKNOWN_HINT },
    );
  }
  const [exitCode, hint] =
    status === 401 || status === 403
      ? [EXIT.refused, REFUSED_HINT]
      : status >= 500
        ? [EXIT.unreachable, BUSY_HINT]
        : [
            EXIT.contract,
            "Check that this is the HTTP port of a ClickHouse server, without a proxy in between.",
          ];
  return new CalltallyError(
    exitCode,
    `Cannot ${doing} at ${host}: the response, status ${status}, is not from ClickHouse`,
    { hint },
  );
}

import { z } from "zod";
import type { Answer, Expectation, Verdict } from "./row.ts";

export const passed = (reason = ""): Verdict => ({ verdict: "passed", reason });
export const failed = (reason: string): Verdict => ({ verdict: "failed", reason });
export const notSeen = (reason: string): Verdict => ({ verdict: "not seen", reason });

const members = z.record(z.string(), z.unknown());
const envelope = z.object({ data: members });
const stamp = z.object({ request_id: z.string(), timestamp: z.string() });
const page = z.object({ calls: z.array(members) });

/** The response has one of these statuses. */
export const answers = (...statuses: number[]): Expectation => {
  const wanted = statuses.join(" or ");
  return ({ status }) => (statuses.includes(status) ? passed() : failed(`${status}, not ${wanted}`));
};

/** The response is JSON by its Content-Type. */
export const isJson: Expectation = ({ contentType }) =>
  contentType?.trim().toLowerCase() === "application/json" ? passed() : failed(`${contentType}`);

/** A clock that differs by more is wrong. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** The response is a 200 stamped with its time, if the clocks of both machines are right. */
export const isStampedNow: Expectation = whenOk(({ body, sentMs, receivedMs }) => {
  const { timestamp } = stamp.parse(body);
  const timeMs = Date.parse(timestamp);
  const isNow = timeMs >= sentMs - CLOCK_SKEW_MS && timeMs <= receivedMs + CLOCK_SKEW_MS;
  return isNow ? passed() : failed(`${timestamp}`);
});

/** Both responses are 200s, and each has a request_id of its own. */
export const hasOwnRequestId: Expectation = whenOk(({ body }, other) => {
  const ids = [body, other?.body].map((one) => stamp.parse(one).request_id);
  return ids[0] === ids[1] ? failed(`${ids[0]} twice`) : passed();
});

/** Both responses have the same total. */
export const sameTotal: Expectation = whenOk(({ body }, other) => {
  const totals = [body, other?.body].map((one) => dataOf(one).total);
  return totals[0] === totals[1] ? passed() : failed(totals.join(" and "));
});

/** The response is a 200 whose envelope conforms. */
export const envelopeHas = (schema: z.ZodType): Expectation => whenOk(({ body }) => fits(schema, body));

/** The response is a 200 whose data conforms. */
export const dataHas = (schema: z.ZodType): Expectation => whenOk(({ body }) => fits(schema, dataOf(body)));

/** A member of the insight has this type; the document does not specify which members always exist. */
export const insightHas = (name: string, schema: z.ZodType): Expectation =>
  dataIs((insight) => (name in insight ? fits(schema, insight[name]) : notSeen("not in the answer")));

/** The data, such as an insight, satisfies the function. */
export const dataIs = (judge: (data: Record<string, unknown>) => Verdict): Expectation =>
  whenOk(({ body }) => judge(dataOf(body)));

/**
 * A member of the calls has this type if it has a value; the document does not specify a missing one.
 * `path` may lead into an object.
 */
export const callsHave = (path: readonly string[], schema: z.ZodType): Expectation =>
  whenOk(({ body }) => {
    const calls = callsOf(body);
    const values = calls.map((call) => valueAt(call, path)).filter((value) => (value ?? null) !== null);
    const [misfit] = values.map((value) => fits(schema, value)).filter(({ verdict }) => verdict === "failed");
    if (misfit) return misfit;
    if (values.length === 0) return notSeen(`in none of ${calls.length} calls`);
    return passed(`in ${values.length} of ${calls.length} calls`);
  });

/** Both responses have these calls in the same order; calls that arrive in between contradict it, too. */
export const sameCalls = (ofOther: (ids: unknown[]) => unknown[] = (ids) => ids): Expectation =>
  whenOk(({ body }, other) => {
    const [ids, others] = [idsOf(body), ofOther(idsOf(other?.body))];
    if (ids.length === 0 && others.length === 0) return notSeen("no calls");
    return JSON.stringify(ids) === JSON.stringify(others) ? passed() : failed(`${ids} and ${others}`);
  });

export function callsOf(body: unknown): Record<string, unknown>[] {
  return page.parse(dataOf(body)).calls;
}

function idsOf(body: unknown): unknown[] {
  return callsOf(body).map((call) => call.call_id);
}

function dataOf(body: unknown): Record<string, unknown> {
  return envelope.parse(body).data;
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return valueAt(members.safeParse(value).data?.[name], rest);
}

function fits(schema: z.ZodType, value: unknown): Verdict {
  const { success, error } = schema.safeParse(value);
  return success ? passed() : failed(z.prettifyError(error).replaceAll(/\s*\n\s*/g, " "));
}

/** Judges a response with status 200; any other one has failed, and so has one without an envelope. */
function whenOk(judge: (answer: Answer, other: Answer | undefined) => Verdict): Expectation {
  return (answer, other) => {
    const stray = [answer, other].find((one) => one !== undefined && one.status !== 200);
    if (stray !== undefined) return failed(`${stray.status}, not 200`);
    try {
      return judge(answer, other);
    } catch (error) {
      if (error instanceof z.ZodError) return failed(z.prettifyError(error).replaceAll(/\s*\n\s*/g, " "));
      throw error;
    }
  };
}

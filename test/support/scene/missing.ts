import type { AccountName, SceneAccount } from "./accounts.ts";

const EVERY: Record<AccountName, { nth: number; minute: number }> = {
  oahu: { nth: 13, minute: 39 },
  chicago: { nth: 16, minute: 20 },
  howe: { nth: 11, minute: 49 },
};

/** Returns since when calls are missing that still count: some of four weeks, of each account since another minute. */
export function missingOf({ name, calls, gone }: SceneAccount): Map<number, string> {
  const { nth, minute } = EVERY[name];
  const listed = calls.filter(
    ({ call_id, call_started: at }) =>
      !gone.has(call_id) && at !== null && at > "2026-03-03" && at < "2026-03-28",
  );
  return new Map(
    listed
      .filter((_, index) => index % nth === 1)
      .map(({ call_id }, index) => [call_id, `2026-04-0${5 + (index % 3)}T07:${minute}:00.000Z`]),
  );
}

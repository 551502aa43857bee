import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { loadNotices } from "../../src/features/load-notices.ts";
import { watchAccount } from "../../src/schedule/daemon/account-watch.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

it.each([
  [undefined, 3_600_000],
  ["1", 60_000],
  ["90", 5_400_000],
])("a job of an account with job_minutes %s may take %i milliseconds", async (minutes, deadlineMs) => {
  using folder = makeTempFolder();
  const env = {
    CALLTALLY_DATABASE: `${folder.path}/calls.db`,
    ...(minutes !== undefined && { CALLTALLY_JOB_MINUTES: minutes }),
  };
  const settings = loadSettings({ folder: folder.path, env });
  const options = {
    log: keepLines().log,
    clock: new FakeClock(),
    doorbell: undefined,
    notices: await loadNotices(),
  };
  expect(watchAccount([], { name: undefined, settings, args: [] }, options)).toMatchObject({ deadlineMs });
});

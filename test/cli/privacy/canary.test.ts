import { expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/server.ts";
import { beginWarehouse } from "../../../src/warehouse/file/begin.ts";
import { hasCommand } from "../../support/commands.ts";
import { settingsFor } from "../../support/run.ts";
import { json, startServer, text } from "../../support/services/server.ts";
import { makeFolder } from "../folder.ts";

// assertNoSecrets in run.ts searches each run of these tests for secrets: the token and the monitor's address in
// all output, and on standard error also the word that is planted here in calls and bodies.

const TOKEN = "canary-token-417";
const PLANTED = {
  insight_name: "canary-insight",
  caller_id: "+15005550006",
  tracking_number: "+15005550007",
  disposition: "canary-disposition",
  org_unit_name: "canary-unit",
  recording_url: "https://canary.example.com/recording?signature=canary",
  summary: "canary-summary",
  transcription: "canary-transcript",
  dni_data: {
    utm_source: "canary-source",
    utm_medium: "canary-medium",
    utm_campaign: "canary-campaign",
    gclid: "canary-gclid",
    campaign_name: "canary-name",
    referring_url: "https://canary.example.com/",
  },
};

/** Plants the word in valid calls, in invalid ones, and in unknown members. */
function plant(sandbox: Sandbox): void {
  sandbox.calls.ids.forEach((id, index) => {
    if (index % 3 === 0) sandbox.calls.edit(id, PLANTED);
    if (index % 3 === 1)
      sandbox.calls.edit(id, { ...PLANTED, duration: "canary-duration", msclkid: "canary-click" });
    if (index % 3 === 2)
      sandbox.calls.edit(id, { caller_id: { canary: "canary" }, call_started: "canary-time" });
  });
}

it("the log contains neither data of calls, good or bad, nor secrets, even at level trace", async () => {
  await using sandbox = await startSandbox({ calls: 60, token: TOKEN });
  await using monitor = await startServer(text("canary-monitor", 500));
  plant(sandbox);
  const env = {
    ...settingsFor(sandbox),
    CALLTALLY_HEARTBEAT_URL: `${monitor.url}canary-beat`,
    CALLTALLY_LOG_LEVEL: "trace",
    CALLTALLY_INSIGHT_IDS: "101",
  };
  using folder = makeFolder(env);
  const { run, database } = folder;
  beginWarehouse(database);
  expect((await run("job sync")).code).toBe(3);
  expect((await run("job export")).code).toBe(3); // rows could not be read
  if (hasCommand("job insights")) expect((await run("job insights")).code).toBe(0);
  expect((await run("sync --full")).code).toBe(3);
  expect((await run("export")).code).toBe(3);
  expect((await run("status")).stderr).toMatch(
    /^calltally: 40 rows of the service \(66\.7%\) could not be read, .*\n$/,
  );
});

it.each([
  [8, "an error", json({ code: 404, message: "canary +15005550006" }, 404)],
  [4, "a refusal that quotes the token", json({ message: `No token is ${TOKEN}`, canary: "canary" }, 401)],
  [5, "a failure", json({ message: "canary" }, 503)],
  [8, "HTML", text("<html>canary</html>")],
] as const)("job sync exits with %i and logs no response body after %s", async (exitCode, _, answer) => {
  await using api = await startServer(answer);
  using folder = makeFolder({
    ...settingsFor({ url: api.url.origin, token: TOKEN }),
    CALLTALLY_RETRY_SECONDS: "0",
    CALLTALLY_LOG_LEVEL: "trace",
  });
  beginWarehouse(folder.database);
  const { code, stderr } = await folder.run("job sync");
  expect(code).toBe(exitCode);
  expect(stderr).toContain(`"exitCode":${exitCode}`);
});

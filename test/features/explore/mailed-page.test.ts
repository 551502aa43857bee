import { expect, it } from "vitest";
import { makeReport } from "../../../src/reports/make-report.ts";
import { startMailServer } from "../../reports/delivery/mail-server.ts";
import { nameReport } from "../../reports/named-report.ts";
import "../../support/built.ts"; // for the script of the page
import { FakeClock } from "../../support/fake-clock.ts";

it("makeReport mails the page of charts of a page to explore", async () => {
  await using server = await startMailServer({ lacksTls: true });
  const secrets = { "smtp.url": `smtp://127.0.0.1:${server.port}?from=calls@example.com` };
  const content = {
    format: "explore",
    range: { last: "1w" },
    deliver: [{ email: { to: ["ann@example.com"] } }],
  };
  using own = nameReport(content, {
    finishedAt: "2026-11-16T06:00:00.000Z",
    top: { smtp_url_file: "smtp.url" },
    secrets,
  });
  const made = await makeReport(own.report, {
    ...{ scheduledFor: null, isDelivered: true, workingFolder: own.folder },
    ...{ signal: new AbortController().signal, clock: new FakeClock("2026-11-16T07:30:00.000Z") },
  });
  expect(made?.run.deliveries).toMatchObject([{ status: "delivered" }]);
  expect(made?.files.manifest.files.map(({ file }) => file)).toEqual(["explore.html", "report.html"]);
  const mail = server.taken[0]?.raw ?? "";
  expect(mail.match(/filename=[^\r\n]+/g)).toEqual(["filename=report.html"]);
});

import { describe, expect, it } from "vitest";
import {
  type DeliverySource,
  type DeliveryTarget,
  toRecipients,
} from "../../../src/reports/delivery/delivery-target.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { startMailServer } from "./mail-server.ts";
import { emailTo, makeSummary, smtpAt, VALUES } from "./report.ts";

const NOW_MS = Date.parse("2026-11-16T07:00:00Z");

function makeSource(folder: string, other: Partial<DeliverySource> = {}): DeliverySource {
  return {
    database: `${folder}/calls.db`,
    warehouseId: "w",
    runId: 17,
    now: () => NOW_MS,
    summary: makeSummary(folder),
    values: VALUES,
    ...other,
  };
}

describe("toRecipients", () => {
  const hookAt = (path: string): DeliveryTarget => ({
    channel: "webhook",
    url: new URL(path, "https://hooks.example.com"),
  });
  const copyTo = (place: string, cwd = "/srv"): DeliveryTarget => ({
    channel: "command",
    argv: ["cp", "{file}", place],
    cwd,
  });

  // The ledger has these keys: with other ones, a resumed run would be delivered twice.
  it.each<{ target: DeliveryTarget; recipient: string }>([
    { target: hookAt("/a?key=1"), recipient: "hooks.example.com #312303ff" },
    { target: hookAt("/a?key=2"), recipient: "hooks.example.com #42ea2728" },
    { target: copyTo("/mnt"), recipient: "cp #3b22eac9" },
    { target: copyTo("/mnt", "/home"), recipient: "cp #3b22eac9" },
    { target: copyTo("/media"), recipient: "cp #d9ea819e" },
  ])("returns the same key for the same target: $recipient", ({ target, recipient }) => {
    using folder = makeTempFolder();
    const keys = toRecipients(target, makeSource(folder.path)).map(({ key }) => key);
    expect(keys).toEqual([{ channel: target.channel, recipient, message_id: null }]);
  });

  it("returns a key for each mail address, with the Message-ID of its mail", () => {
    using folder = makeTempFolder();
    const target = emailTo(["ann@example.com", "bob@example.com"], smtpAt(25));
    expect(toRecipients(target, makeSource(folder.path)).map(({ key }) => key)).toEqual([
      {
        channel: "email",
        recipient: "ann@example.com",
        message_id: "<239ec6f8d4ff00f0f31af80ed1994766@example.com>",
      },
      {
        channel: "email",
        recipient: "bob@example.com",
        message_id: "<9a83296cb2b0798b04b4c2b16e4dc9f1@example.com>",
      },
    ]);
  });

  it.each([
    [undefined, "weekly, 19 Oct 2026 to 15 Nov 2026 (19 Oct 2026, 15 Nov 2026) of 16 Nov 2026"],
    ["de-DE", "weekly, 19. Okt. – 15. Nov. 2026 (19. Okt. 2026, 15. Nov. 2026) of 16. Nov. 2026"],
  ])("writes the days of a subject in the locale of the letterhead (%s): %s", async (locale, subject) => {
    using folder = makeTempFolder();
    await using server = await startMailServer();
    const summary = makeSummary(folder.path);
    const source = makeSource(folder.path, {
      summary: { ...summary, letterhead: { ...summary.letterhead, locale } },
      values: { ...VALUES, period: "2026-10-19 to 2026-11-15", date: "2026-11-16" },
    });
    const target = {
      ...emailTo(["ann@example.com"], smtpAt(server.port)),
      subject: "{report}, {period} ({from}, {to}) of {date}",
    };
    const [recipient] = toRecipients(target, source);
    const context = { signal: new AbortController().signal, claim: () => {}, isClaimed: () => true };
    expect(await recipient?.attempt(context)).toEqual({ kind: "delivered" });
    const [, written] = /^Subject: (.*(?:\r\n .*)*)\r$/m.exec(server.taken[0]?.raw ?? "") ?? [];
    expect(decodeHeader(written ?? "")).toBe(subject);
  });
});

/** Joins the lines of a header, and decodes its words (RFC 2047). */
function decodeHeader(header: string): string {
  const toText = (word: string) => decodeURIComponent(word.replaceAll("_", " ").replaceAll("=", "%"));
  return header
    .replaceAll("\r\n", "")
    .replaceAll("?= =?UTF-8?Q?", "")
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) => toText(word));
}

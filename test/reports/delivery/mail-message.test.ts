import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verdictInWords } from "../../../src/export/completeness.ts";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { CHANCE_MEANING } from "../../../src/figures/change-chance.ts";
import { buildMessage, composeMail, messageIdOf } from "../../../src/reports/delivery/mail-message.ts";
import { blocksOf } from "../../../src/reports/delivery/report-blocks.ts";
import {
  formatBytes,
  type ReportSummary,
  ringBackTitle,
} from "../../../src/reports/delivery/report-summary.ts";
import { makePng } from "../../support/logo.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeSummary, writeReportFile } from "./report.ts";

const FROM = { name: "Calls", address: "calls@example.com" };
const HEAD = {
  from: FROM,
  to: "ann@example.com",
  messageId: "<17@example.com>",
  nowMs: Date.parse("2026-11-16T07:00:00Z"),
};

async function build(summary: ReportSummary, subject: string, head: Partial<typeof HEAD> = {}) {
  const { bytes, envelope } = await buildMessage(await composeMail(summary, subject), { ...HEAD, ...head });
  const whole = bytes.toString();
  const [top = ""] = whole.split("\r\n\r\n", 1);
  const headers = top.replace(/\r\n\s+/g, " ").split("\r\n");
  return { whole, headers, envelope };
}

/** Decodes an encoded word of RFC 2047, in Q. */
function decode(header: string): string {
  return header.replaceAll(/\?= =\?UTF-8\?Q\?/g, "").replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, text) =>
    decodeURIComponent(
      text
        .replaceAll("_", " ")
        .replaceAll("%", "%25")
        .replace(/=([0-9A-F]{2})/g, "%$1"),
    ),
  );
}

describe("buildMessage", () => {
  it("writes text, HTML and files, and headers that prevent automatic responses", async () => {
    using folder = makeTempFolder();
    const { headers, whole, envelope } = await build(makeSummary(folder.path), "Calls, week 2026-W46");
    expect(headers).toEqual(
      expect.arrayContaining([
        "From: Calls <calls@example.com>",
        "To: ann@example.com",
        "Subject: Calls, week 2026-W46",
        "Message-ID: <17@example.com>",
        "Date: Mon, 16 Nov 2026 07:00:00 +0000",
        "Auto-Submitted: auto-generated",
      ]),
    );
    expect(envelope).toEqual({ from: "calls@example.com", to: ["ann@example.com"] });
    const types = [...whole.matchAll(/^Content-Type: ([\w/]+)/gm)].map(([, type]) => type).join(" ");
    expect(types).toBe("multipart/mixed multipart/alternative text/plain text/html text/csv");
    expect(whole).toContain("Content-Disposition: attachment; filename=channel.csv");
    expect(whole).toContain(Buffer.from("channel,calls\r\nDirect,3\r\n").toString("base64"));
    expect(whole).not.toMatch(/[^\r]\n/);
  });

  it.each(["\r\n", "\n\n", "\r", "\u2028", "\u0085", "\0\n\v"])(
    "keeps a subject and a name with %j in one header",
    async (end) => {
      using folder = makeTempFolder();
      const text = `${end}Calls${end}Bcc: eve@example.com${end}`;
      const from = { ...FROM, name: text };
      const { headers } = await build(makeSummary(folder.path), text, { from });
      expect(headers.filter((header) => /^bcc/i.test(header))).toEqual([]);
      const named = headers.filter((header) => /^(subject|from):/i.test(header)).map(decode);
      expect(named).toEqual([
        'From: "Calls Bcc: eve@example.com" <calls@example.com>',
        "Subject: Calls Bcc: eve@example.com",
      ]);
    },
  );

  it("encodes a subject in any script, and the domain of an address in its DNS form", async () => {
    using folder = makeTempFolder();
    const subject =
      "Anrufe für Zahnärzte, 第46週 📞 in one long subject that does not fit on a line of a header";
    const { headers, envelope } = await build(makeSummary(folder.path), subject, {
      from: { ...FROM, address: "calls@bücher.example" },
      to: "ann@bücher.example",
    });
    const header = headers.find((each) => each.startsWith("Subject: ")) ?? "";
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(decode(header)).toBe(`Subject: ${subject}`);
    expect(envelope).toEqual({
      from: "calls@xn--bcher-kva.example",
      to: ["ann@xn--bcher-kva.example"],
    });
  });
});

describe("composeMail", () => {
  it("attaches files in order if all fit, and otherwise names the rest with size and place", async () => {
    using folder = makeTempFolder();
    const summary = makeSummary(folder.path);
    const sizes = [600, 500, 400];
    const files = sizes.map((bytes) => writeReportFile(folder.path, `${bytes}.bin`, Buffer.alloc(bytes)));
    const mail = await composeMail({ ...summary, files }, "Calls", 1000);
    expect(mail.attachments.map(({ filename, content }) => [filename, content.length])).toEqual([
      ["600.bin", 600],
      ["400.bin", 400],
    ]);
    expect(mail.text).toContain(
      `Files\n- 600.bin (600 bytes)\n- 500.bin (500 bytes, not attached)\n- 400.bin (400 bytes)\nThe sender has the files that are not attached, in ${folder.path}\n`,
    );
    expect(mail.html).toContain("500 bytes, not attached");
    expect(mail.html).toContain(`The sender has the files that are not attached, in ${folder.path}`);
    const all = await composeMail({ ...summary, files }, "Calls");
    expect(all.text + all.html).not.toContain("not attached");
    // A file that is not attached is not read.
    const first = { ...summary.manifest, bytes: 10_000_000 };
    const full = await composeMail({ ...summary, files: [first, ...files] }, "Calls");
    expect(full.attachments).toHaveLength(1);
    const scripts = files.map((file) => ({ ...file, isScript: file.bytes === 600 }));
    const mailed = await composeMail({ ...summary, files: scripts }, "Calls");
    expect(mailed.attachments.map(({ filename }) => filename)).toEqual(["500.bin", "400.bin"]);
    expect(mailed.text).toContain("- 600.bin (600 bytes, not attached)");
  });

  it("cuts names of 10,000 characters, in text and HTML, and keeps them different", async () => {
    using folder = makeTempFolder();
    const longName = (kind: string, end: number) => `${kind} ${"x".repeat(10_000)} ${end}`;
    const caller = { missed_at: "2026-11-15 13:37", missed_calls: 2, in_hours: null, number: null };
    const callers = [1, 2].map((end) => ({ ...caller, source: longName("source", end) }));
    const cost = { cost: 12, currency: "USD", is_known: 1, others: 0 };
    const mail = await composeMail(
      {
        ...makeSummary(folder.path),
        ring_back: { callers, all: 2 },
        sentences: [{ id: "spend_without_calls", values: { name: longName("spend", 1), ...cost } }],
      },
      "Calls",
    );
    for (const text of [mail.text, mail.html]) {
      expect(Math.max(...[...text.matchAll(/x{10,}/g)].map(([run]) => run.length))).toBeLessThan(100);
      expect(new Set([...text.matchAll(/source x+… #[0-9a-f]{8}/g)].map(([name]) => name)).size).toBe(2);
      expect(text).toMatch(/spend x+… #/);
    }
  });

  it("writes the same content in text and HTML: figures, changes, callers, verdict and caveats", async () => {
    using folder = makeTempFolder();
    const callers = [
      { missed_at: "2026-11-15 13:37", missed_calls: 2, source: "google", in_hours: true, number: "+49301" },
      { missed_at: "2026-11-14 22:05", missed_calls: 1, source: "bing", in_hours: false, number: null },
      { missed_at: "2026-11-14 09:00", missed_calls: 1, source: "bing", in_hours: null, number: "+49302" },
    ];
    const summary = { ...makeSummary(folder.path), ring_back: { callers, all: 4 } };
    const { text, html } = await composeMail(summary, "Calls");
    expect(text).toBe(`Acme Roofing
Weekly calls
19 October to 15 November 2026, by week

- 1,204 calls came in, 133 more than the month before.

Calls               1,204  +12.4% from 1,071
Answer rate         81.3%  +0.4 points from 80.9%, within chance
First-time callers    640

To ring back: the newest 3 of 4 callers
- 2026-11-15 13:37, 2 missed calls, in hours, from google: +49301
- 2026-11-14 22:05, 1 missed call, outside of hours, from bing
- 2026-11-14 09:00, 1 missed call, from bing: +49302

Complete as of 16 Nov 2026 07:00. Run 4 proved that it read every call.

- ${CHANCE_MEANING}
- The latest days are provisional: late transcripts and corrections may still come.

Files
- channel.csv (25 bytes)

--
Sent by calltally.
`);
    const words = html.replace(/<style.*?<\/style>|<[^>]+>/gs, "\n").replace(/\s*\n\s*/g, "\n");
    const lines = (given: string) => given.split(/\n| {2,}/).filter((line) => line !== "" && line !== "--");
    const said = lines(text).map((line) => line.replace(/^- /, "").replace(/ \((.*)\)$/, "\n$1"));
    expect(words.trim().split("\n").slice(1)).toEqual(said.flatMap((line) => line.split("\n")));
  });

  it("leaves out the name, doubts, sentences, remarks and files if there are none", async () => {
    using folder = makeTempFolder();
    const summary = makeSummary(folder.path);
    const bare = {
      ...summary,
      letterhead: PLAIN,
      headline: summary.headline.slice(2),
      sentences: [],
      statements: [],
      files: [],
      ring_back: { callers: [], all: 0 },
    };
    const { text, html } = await composeMail(bare, "Calls");
    expect(text).toBe(
      `Weekly calls\n${summary.range}\n\nFirst-time callers  640\n\n${verdictInWords(summary.verdict)}\n\n--\nSent by calltally.\n`,
    );
    expect(html).not.toMatch(/<h2|<ul|<li|<bdi>|Stryker/);
  });

  it("begins the names of attached files with the account, if there are several", async () => {
    using folder = makeTempFolder();
    const files = [500, 700].map((bytes) =>
      writeReportFile(folder.path, `${bytes}.bin`, Buffer.alloc(bytes)),
    );
    const summary = { ...makeSummary(folder.path), files, prefix: "acme-" };
    const { attachments, text } = await composeMail(summary, "Calls", 1000);
    expect(attachments.map(({ filename }) => filename)).toEqual(["acme-500.bin"]);
    // In the folder, it has its own name.
    expect(text).toContain("- acme-500.bin (500 bytes)\n- 700.bin (700 bytes, not attached)\n");
  });

  it("shows a PNG as an attachment within the HTML, which is not among the files, and no SVG", async () => {
    using folder = makeTempFolder();
    const summary = makeSummary(folder.path);
    const logo = makePng();
    const withLogo = (type: "image/png" | "image/svg+xml", attachBytes?: number) => {
      const letterhead = { ...PLAIN, logo: { type, base64: logo.toString("base64") } };
      return composeMail({ ...summary, letterhead }, "Calls", attachBytes);
    };
    const png = await withLogo("image/png");
    expect(png.attachments[0]?.content).toEqual(logo);
    expect(png.attachments.map(({ filename, cid }) => [filename, cid])).toEqual([
      ["logo.png", "logo@calltally"],
      ["channel.csv", undefined],
    ]);
    const full = await withLogo("image/png", logo.length + 24); // the file has 25 bytes
    expect(full.attachments.map(({ filename }) => filename)).toEqual(["logo.png"]);
    expect(png.html).toContain('<img src="cid:logo@calltally" alt=""');
    expect(png.text).not.toContain("logo");
    const message = await buildMessage(png, HEAD);
    expect(message.bytes.toString()).toMatch(
      /multipart\/related.*Content-Id: <logo@calltally>.*Content-Disposition: inline; filename=logo.png/is,
    );
    const svg = await withLogo("image/svg+xml");
    expect(svg.attachments.map(({ filename }) => filename)).toEqual(["channel.csv"]);
    expect(svg.html).not.toContain("<img");
  });

  it("writes numbers of sentences and sizes in the locale of the letterhead", async () => {
    using folder = makeTempFolder();
    const summary = makeSummary(folder.path);
    const large = { ...summary.manifest, name: "all.csv", bytes: 12_345_678 };
    const { text } = await composeMail(
      { ...summary, letterhead: { ...PLAIN, locale: "de-DE" }, files: [large] },
      "Calls",
    );
    expect(text).toContain("- all.csv (12,3 MB, not attached)");
  });

  it("gives files of several folders different names", async () => {
    using folder = makeTempFolder();
    const summary = makeSummary(folder.path);
    mkdirSync(join(folder.path, "calls/month=2026-10"), { recursive: true });
    const file = writeReportFile(folder.path, "calls/month=2026-10/calls.csv", "calls\r\n");
    const { attachments } = await composeMail({ ...summary, files: [file] }, "Calls");
    expect(attachments.map(({ filename }) => filename)).toEqual(["calls_month=2026-10_calls.csv"]);
    const changed = composeMail({ ...summary, files: [{ ...file, sha256: "0" }] }, "Calls");
    await expect(changed).rejects.toThrow("its content is not what the report wrote");
  });
});

describe("HTML of a mail", () => {
  it("escapes every text, and loads nothing remote", async () => {
    const evil = `"><img src=https://evil.example/x onerror=alert(1)>'&`;
    const summary: ReportSummary = {
      title: evil,
      account: evil,
      prefix: evil,
      range: evil,
      verdict: { claim: evil, reasons: [evil], isProven: false },
      folder: evil,
      letterhead: { ...PLAIN, name: evil },
      sentences: [{ id: "fewer_calls", values: { dimension: "source", name: evil, calls: 1, before: 20 } }],
      headline: [{ name: evil, value: evil, change: evil, previous: evil, within_chance: true }],
      statements: [{ id: "unverified", level: "doubt", values: { run_id: 1, reason: evil, advice: null } }],
      notices: [evil],
      files: [{ name: evil, path: evil, bytes: 1, sha256: evil, isPersonal: false, isScript: true }],
      manifest: { name: evil, path: evil, bytes: 1, sha256: evil, isPersonal: false },
    };
    const { html } = await composeMail(summary, evil);
    expect(
      html.split("&quot;&gt;&lt;img src=https://evil.example/x onerror=alert(1)&gt;&#39;&amp;"),
    ).toHaveLength(16);
    const styles = [...html.matchAll(/style="([^"]*)"/g)].flatMap(([, style = ""]) =>
      style.replaceAll("&#39;", "").split(";"),
    );
    expect(styles.filter((style) => !/^[\w-]+:\S/.test(style))).toEqual([]);
    expect(html).not.toMatch(/<(img|script|link|style|a|iframe)\b|url\(|\ssrc="/i);
  });
});

describe("messageIdOf", () => {
  it("returns the same for the same warehouse, run and recipient, and a different one otherwise", () => {
    const id = messageIdOf("w", 1, "ann@example.com", FROM);
    expect(id).toMatch(/^<[0-9a-f]{32}@example\.com>$/);
    expect(messageIdOf("w", 1, "ann@example.com", FROM)).toBe(id);
    const others = [
      messageIdOf("v", 1, "ann@example.com", FROM),
      messageIdOf("w", 2, "ann@example.com", FROM),
      messageIdOf("w", 1, "bob@example.com", FROM),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
  });
});

it.each([
  [999, "999 bytes"],
  [1000, "1 kB"],
  [999_499, "999 kB"],
  [999_500, "1.0 MB"],
  [3_440_000, "3.4 MB"],
])("formatBytes: %i is %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [undefined, null],
  [{ listed: 0, all: 0 }, null],
  [{ listed: 1, all: 1 }, "To ring back: 1 caller"],
  [{ listed: 1, all: 2 }, "To ring back: the newest 1 of 2 callers"],
])("ringBackTitle of %j: %s", (ringBack, title) => {
  using folder = makeTempFolder();
  const caller = {
    missed_at: "2026-11-15 13:37",
    missed_calls: 1,
    source: "x",
    in_hours: null,
    number: null,
  };
  const ring_back = ringBack && { callers: Array(ringBack.listed).fill(caller), all: ringBack.all };
  expect(ringBackTitle({ ...makeSummary(folder.path), ring_back })).toBe(title);
});

it("blocksOf names at most three cautions, and whom to ask for more", () => {
  using folder = makeTempFolder();
  const cautions = ["provisional", "rules_changed", "short_history", "no_callers_excluded"] as const;
  const statements = cautions.map((id) => ({ id, level: "caution" as const, values: {} }));
  const summary = { ...makeSummary(folder.path), headline: [], statements, notices: ["One."] };
  const remarks = blocksOf(summary).flatMap(({ kind, of }) => (kind === "remarks" ? of.lines : []));
  expect(remarks).toHaveLength(5);
  expect(remarks[0]).toBe("One.");
  expect(remarks.at(-1)).toBe("And 1 more caution: ask the sender for manifest.json.");
});

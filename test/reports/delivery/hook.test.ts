import { describe, expect, it } from "vitest";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { toSpoken } from "../../../src/export/statements/statements.ts";
import { CHANCE_MEANING } from "../../../src/figures/change-chance.ts";
import { kindOfHook, parseHookUrl, toHookBody } from "../../../src/reports/delivery/hook-body.ts";
import type { ReportSummary } from "../../../src/reports/delivery/report-summary.ts";

const SUMMARY: ReportSummary = {
  title: "Weekly calls",
  account: "acme",
  letterhead: { ...PLAIN, name: "Acme Roofing" },
  range: "October",
  sentences: [
    { id: "fewer_calls", values: { dimension: "source", name: "<!here> & co", calls: 74, before: 120 } },
  ],
  headline: [
    { name: "Calls", value: "1,204", change: "+12.4%", previous: "1,071", within_chance: false },
    { name: "Answer rate", value: "81.3%", change: "+0.4 points", previous: "80.9%", within_chance: true },
    { name: "First-time callers", value: "640", change: null, previous: null, within_chance: false },
  ],
  verdict: { claim: "Verified.", reasons: [], isProven: true },
  statements: [
    { id: "unverified", level: "doubt", values: { run_id: 7, reason: "<!here>", advice: null } },
    { id: "provisional", level: "caution", values: {} },
  ],
  notices: ["Ask <!channel> & *all*."],
  folder: "/srv/reports",
  files: [
    { name: "channel.csv", path: "/srv/reports/channel.csv", bytes: 12_345, sha256: "ab", isPersonal: false },
  ],
  prefix: "",
  manifest: { name: "manifest.json", path: "/", bytes: 1, sha256: "cd", isPersonal: false },
};

const CAUTION = "The latest days are provisional: late transcripts and corrections may still come.";
const FELL = "Calls from <!here> & co fell from 120 to 74.";
const DOUBT = "Run 7, the last sync, is unverified, so calls may be missing: <!here>.";

describe("kindOfHook", () => {
  it.each([
    ["https://hooks.slack.com/services/T0/B0/x", "slack"],
    ["https://prod-23.westeurope.logic.azure.com/workflows/x?sig=y", "teams"],
    ["https://default0.0.environment.api.powerplatform.com/powerautomate/x", "teams"],
    ["https://acme.webhook.office.com/webhookb2/x", "teams"],
    ["https://hooks.slack-gov.com/services/x", "slack"],
    ["https://hooks.slack.com.example.com/x", "json"],
    ["https://my.hooks.slack.com/x", "json"],
    ["https://prod.logic.azure.com.example.com/x", "json"],
    [" https://example.com/x ", "json"],
    ["http://127.0.0.1:8080/x", "json"],
  ])("%s → %s", (url, kind) => {
    expect(kindOfHook(parseHookUrl(url))).toBe(kind);
  });
});

describe("parseHookUrl", () => {
  it.each([
    "hooks.slack.com/SECRET",
    "http://hooks.slack.com/SECRET",
    "https://u:SECRET@example.com/",
    "https://SECRET@example.com/",
    "https://example.com/#SECRET",
    "ftp://127.0.0.1/SECRET",
    "https://example.com/SECRET/{account}",
  ])("refuses %s without showing it", (url) => {
    const read = () => parseHookUrl(url);
    expect(read).toThrow(/^(is|must) /);
    expect(read).not.toThrow("SECRET");
  });
});

describe("toHookBody", () => {
  const mrkdwn = (text: string) => ({ type: "mrkdwn", text, verbatim: true });

  it("returns a message of blocks for Slack without mentions", () => {
    expect(toHookBody(SUMMARY, "slack")).toEqual({
      text: "Weekly calls, Acme Roofing, October: Run 7, the last sync, is unverified, so calls may be missing: &lt;!here&gt;. Calls from &lt;!here&gt; &amp; co fell from 120 to 74. Calls 1,204 (+12.4% from 1,071), Answer rate 81.3% (+0.4 points from 80.9%, within chance), First-time callers 640",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Weekly calls" } },
        { type: "context", elements: [mrkdwn("Acme Roofing, October")] },
        { type: "section", text: mrkdwn(DOUBT.replace("<!here>", "&lt;!here&gt;")) },
        { type: "section", text: mrkdwn("• Calls from &lt;!here&gt; &amp; co fell from 120 to 74.") },
        {
          type: "section",
          fields: [
            mrkdwn("*Calls*\n1,204  (+12.4% from 1,071)"),
            mrkdwn("*Answer rate*\n81.3%  (+0.4 points from 80.9%, within chance)"),
            mrkdwn("*First-time callers*\n640"),
          ],
        },
        {
          type: "context",
          elements: [
            mrkdwn(
              `Verified.\n${CHANCE_MEANING}\nAsk &lt;!channel&gt; &amp; *all*.\nThe latest days are provisional: late transcripts and corrections may still come.\nThe sender has the files in /srv/reports: channel.csv (12 kB)`,
            ),
          ],
        },
      ],
    });
  });

  it("leaves out the account, doubts, sentences, notices and files if there are none", () => {
    const bare = {
      ...SUMMARY,
      letterhead: PLAIN,
      headline: SUMMARY.headline.slice(2),
      statements: [],
      sentences: [],
      notices: [],
      files: [],
    };
    const text = "Weekly calls, October: First-time callers 640";
    expect(toHookBody(bare, "json")).toMatchObject({ text: `${text}. Verified.` });
    expect(toHookBody(bare, "slack")).toMatchObject({
      text,
      blocks: [
        { type: "header" },
        { elements: [{ text: "October" }] },
        { type: "section", fields: [{ text: "*First-time callers*\n640" }] },
        { type: "context", elements: [{ text: "Verified." }] },
      ],
    });
  });

  it("writes a line in Slack for each doubt and sentence, and names each file", () => {
    const twice = <T>(items: readonly T[]) => items.flatMap((item) => [item, item]);
    const statements = twice(SUMMARY.statements.slice(0, 1));
    const [sentences, files] = [twice(SUMMARY.sentences), twice(SUMMARY.files)];
    const doubt = DOUBT.replace("<!here>", "&lt;!here&gt;");
    const fell = "• Calls from &lt;!here&gt; &amp; co fell from 120 to 74.";
    expect(toHookBody({ ...SUMMARY, statements, sentences, files }, "slack")).toMatchObject({
      blocks: [
        {},
        {},
        { text: { text: `${doubt}\n${doubt}` } },
        { text: { text: `${fell}\n${fell}` } },
        {},
        { elements: [{ text: expect.stringContaining("channel.csv (12 kB), channel.csv (12 kB)") }] },
      ],
    });
  });

  it("keeps Slack's limits: ten fields per section, and the length of texts", () => {
    const figure = { value: "1", change: null, previous: null, within_chance: false };
    const headline = Array.from({ length: 23 }, (_, index) => ({ ...figure, name: `Figure ${index}` }));
    const blocksOf = (title: string, notice: string) => {
      const summary = { ...SUMMARY, headline, title, statements: [], sentences: [], notices: [notice] };
      return JSON.parse(JSON.stringify(toHookBody(summary, "slack"))).blocks;
    };
    const blocks = blocksOf("📞".repeat(151), "x".repeat(5000));
    expect(blocksOf("📞".repeat(150), "")[0].text.text).toBe("📞".repeat(150));
    const sections = blocks.filter((block: { type: string }) => block.type === "section");
    expect(sections.map((section: { fields: unknown[] }) => section.fields.length)).toEqual([10, 10, 3]);
    expect(blocks[0].text.text).toBe(`${"📞".repeat(149)}…`);
    expect(blocks.at(-1).elements[0].text).toHaveLength(2900);
  });

  it("returns a message with an Adaptive Card for Teams without Markdown", () => {
    const run = (text: string, style: object) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text, ...style }],
    });
    expect(toHookBody(SUMMARY, "teams")).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              run("Weekly calls", { size: "large", weight: "bolder" }),
              run("Acme Roofing, October", { isSubtle: true }),
              run(DOUBT, { weight: "bolder" }),
              run(`• ${FELL}`, {}),
              {
                type: "FactSet",
                facts: [
                  { title: "Calls", value: "1,204 (+12.4% from 1,071)" },
                  { title: "Answer rate", value: "81.3% (+0.4 points from 80.9%, within chance)" },
                  { title: "First-time callers", value: "640" },
                ],
              },
              run("Verified.", { size: "small" }),
              run(CHANCE_MEANING, { size: "small" }),
              run("Ask <!channel> & *all*.", { size: "small" }),
              run(CAUTION, { size: "small" }),
              run("The sender has the files in /srv/reports: channel.csv (12 kB)", { size: "small" }),
            ],
          },
        },
      ],
    });
  });

  it("returns plain JSON with a text for other receivers", () => {
    const { folder: _, manifest: _manifest, prefix: _prefix, ...told } = SUMMARY;
    const { letterhead, statements, sentences, ...said } = told;
    expect(toHookBody(SUMMARY, "json")).toEqual({
      text: `Weekly calls, Acme Roofing, October: ${DOUBT} ${FELL} Calls 1,204 (+12.4% from 1,071), Answer rate 81.3% (+0.4 points from 80.9%, within chance), First-time callers 640. Verified.`,
      ...said,
      verdict: "Verified.",
      sentences: sentences.map((each) => ({ ...each, text: FELL })),
      name: letterhead.name,
      statements: statements.map(toSpoken),
      files: [{ name: "channel.csv", bytes: 12_345, sha256: "ab" }],
    });
  });
});

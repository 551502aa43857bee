import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { attributeCall } from "../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { CHANNELS } from "../../src/calls/attribution/channel-rules.ts";
import { metrics } from "../../src/figures/metrics.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const PAGE = readFileSync("docs/figures.md", "utf8");

describe("worked example of docs/figures.md", () => {
  // Its session runs exactly as written; this compares the table that explains it.
  const [head = "", google = ""] = PAGE.split("\n").slice(
    PAGE.split("\n").findIndex((line) => line.startsWith("utm_source,calls,")),
  );
  const names = head.split(",").slice(1);
  const values = google.split(",").slice(1);

  it("explains each figure with the value of the export", () => {
    const explained = [...PAGE.matchAll(/^\| `(\w+)` \| .+ \| ([\d.:TZ-]*) ?\|$/gm)];
    expect(explained.map(([, name, value]) => [name, value])).toEqual(
      names.map((name, index) => [name, values[index]]),
    );
  });

  it("contains all figures", () => {
    expect(names).toEqual(metrics(DEFAULT_RULES).map(({ name }) => name));
  });
});

/** Calls without tags for each channel that a referrer or a click can lead to. */
const UNTAGGED = {
  Direct: {},
  "Paid Search": { gclid: "Cj" },
  "AI Assistant": { referring_url: "https://claude.ai/" },
  "Organic Shopping": { referring_url: "https://www.ebay.de/" },
  "Organic Social": { referring_url: "https://m.facebook.com/" },
  "Organic Video": { referring_url: "https://youtube.com/" },
  "Organic Search": { referring_url: "https://www.google.com/" },
  Referral: { referring_url: "https://www.bbb.org/" },
  Unassigned: { gclid: "Cj", gclsrc: "3p.ds" },
};

describe("channels of docs/figures.md", () => {
  it.each(Object.entries(UNTAGGED))("%s can be reached without a tag", (channel, members) => {
    expect(attributeCall(makeCall(members), DEFAULT_RULES).channel).toBe(channel);
  });

  it("name those that require tags or campaign names", () => {
    const [, names = ""] = /^(.+) come from tags or campaign names only\.$/m.exec(PAGE) ?? [];
    const tagged = names.split(/, | and /);
    expect([...tagged, ...Object.keys(UNTAGGED)].sort()).toEqual([...CHANNELS].sort());
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attributeCall } from "../../src/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { readChannels } from "../../src/config/channels-file.ts";
import { makeCall } from "../support/calls.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

test("the file of docs/tags.md gives the channels that its table has", () => {
  const page = readFileSync("docs/tags.md", "utf8");
  const [, content = ""] = /^```csv channels.csv\n(.*?)^```/ms.exec(page) ?? [];
  using folder = makeTempFolder();
  const path = join(folder.path, "channels.csv");
  writeFileSync(path, content);
  const channels = readChannels(path);
  const rows = [...page.matchAll(/^\|(.*)\|(.*)\|(.*)\|(.*)\| (.+) \|$/gm)].slice(1);
  const found = rows.map((row) => {
    const [utm_source = null, utm_medium = null, utm_campaign = null, referring_url = null] = row
      .slice(1, 5)
      .map((cell) => cell.trim() || null);
    const call = makeCall({ utm_source, utm_medium, utm_campaign, referring_url });
    return attributeCall(call, { ...DEFAULT_RULES, channels }).channel;
  });
  expect(found).toHaveLength(6);
  expect(found).toEqual(rows.map(([, , , , , channel]) => channel));
});

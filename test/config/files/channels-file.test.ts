import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readChannels } from "../../../src/config/files/channels-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

function read(content: string) {
  using folder = makeTempFolder();
  const file = join(folder.path, "channels.csv");
  writeFileSync(file, content);
  return readChannels(file);
}

describe("readChannels", () => {
  it("reads lines in order, with columns in any order", () => {
    const own = { channel: "Partners", source: "", medium: "", campaign: "", referrer: "" };
    expect(read('source,channel\r\n\r\n partner-* ,Partners\r\n"a ""b"", c",Partners\r\n')).toEqual([
      { ...own, source: "partner-*", line: 3 },
      { ...own, source: 'a "b", c', line: 4 },
    ]);
    expect(read("channel;source;medium;campaign;referrer\nPaid Search;;;;x.example\n")).toEqual([
      { ...own, channel: "Paid Search", referrer: "x.example", line: 2 },
    ]);
  });

  it.each([
    ["", "line 1, column 1: the header has no column channel"],
    ["channel,sorce\n", 'line 1, column 2: "sorce" is not a known column; did you mean source?'],
    ["channel,source\na\n", "line 2, column 1: has 1 values, and the header 2"],
    ["channel,source\n(not set),a\n", "line 2, column 1: channel is empty, or a text that counts as not set"],
    ["channel,source\na,\n", "line 2, column 1: channel has no source, medium, campaign or referrer"],
    [
      "channel,source\nDIRECT,a\n",
      "line 2, column 1: channel differs only in case from Direct of Google Analytics",
    ],
    ["channel,source\na,b\nA,c\n", "line 3, column 1: channel differs only in case from a of line 2"],
    ['channel,source\na,"b\n', "line 2"],
  ])("refuses %j: %s", (content, message) => {
    expect(() => read(content)).toThrow(message);
  });
});

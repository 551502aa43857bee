import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import { readTopics } from "../../../src/config/files/topics-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

function read(content: string | Buffer) {
  using folder = makeTempFolder();
  const file = join(folder.path, "topics.csv");
  writeFileSync(file, content);
  return readTopics(file);
}

const HEADER = "topic,phrase,speaker,qualifies,value\n";

describe("readTopics", () => {
  it("reads lines in order", () => {
    const content = `\ufeff${HEADER}Emergency,"burst pipe, no water", Caller ,YES,250\r\n\r\nspam,job,,no,\r\nSpam2,a  b,,,\r\n`;
    expect(read(content)).toEqual([
      {
        topic: "Emergency",
        phrase: "burst pipe, no water",
        speaker: "Caller",
        qualifies: true,
        value: "250",
        line: 2,
      },
      { topic: "spam", phrase: "job", speaker: null, qualifies: false, value: null, line: 4 },
      { topic: "Spam2", phrase: "a  b", speaker: null, qualifies: null, value: null, line: 5 },
    ]);
  });

  it.each([";", "\t"])("reads columns separated by %j", (delimiter) => {
    const content = '\ufefftopic,phrase,value\nEmergency,"pipe, burst",1.5\n'.replace(/,(?! )/g, delimiter);
    expect(read(content)).toEqual([
      { topic: "Emergency", phrase: "pipe, burst", speaker: null, qualifies: null, value: "1.5", line: 2 },
    ]);
  });

  it("requires only topics and phrases, in any order", () => {
    expect(read("phrase,topic\nburst pipe,emergency\n")).toEqual([
      { topic: "emergency", phrase: "burst pipe", speaker: null, qualifies: null, value: null, line: 2 },
    ]);
    expect(read("topic,phrase\n")).toEqual([]);
  });

  it.each(["\n", "\r\n", "\r"])("numbers the lines of a file with line ends %j", (end) => {
    const lines = ["topic,phrase", "", "", 'a,"b', "c", 'd"', " ", "e,f", '"g', 'h",i', "last,z"];
    expect(read(`\ufeff${lines.join(end)}`).map(({ line }) => line)).toEqual([4, 8, 9, 11]);
    expect(() => read([...lines, "last,z,", ""].join(end))).toThrow("line 12, column 3");
  });

  it.each([
    ["", "line 1, column 1: the header has no column topic"],
    ["topic,frase\na,b\n", 'line 1, column 2: "frase" is not a known column; did you mean phrase?'],
    ["topic|phrase\na|b\n", 'line 1, column 1: "topic|phrase" is not a known column'],
    ['topic;phrase\n\n"a\nb";c\n;d\n', "line 5, column 1: topic is empty"],
    ["topic,phrase,topic\n", "line 1, column 3: topic is already a column"],
    ["topic,speaker\n", "line 1, column 3: the header has no column phrase"],
    [`${HEADER}a,b\n`, "line 2, column 2: has 2 values, and the header 5"],
    [`${HEADER}a,b,,,,x\n`, "line 2, column 6: has 6 values, and the header 5"],
    [`${HEADER}\n,b,,,\n`, "line 3, column 1: topic is empty"],
    [`${HEADER}(not set),b,,,\n`, "line 2, column 1: topic is empty, or a text that counts as not set"],
    [`${HEADER}a," \u00a0",,,\n`, "line 2, column 2: phrase is empty"],
    [`${HEADER}a,b,,maybe,\n`, 'line 2, column 4: qualifies must be yes, no or empty, not "maybe"'],
    [`${HEADER}a,b,,,$5\n`, 'line 2, column 5: value must be a number above 0 such as 149.50, not "$5"'],
    [`${HEADER}a,b,,,0.0\n`, "line 2, column 5: value must be a number above 0"],
    [
      `${HEADER}a,b,,yes,\nb,c,,,\nA,d,,yes,\n`,
      "line 4, column 1: topic differs from that of the same topic in line 2",
    ],
    [
      `${HEADER}a,b,,yes,\na,c,,no,\n`,
      "line 3, column 4: qualifies differs from that of the same topic in line 2",
    ],
    [`${HEADER}a,b,,,5\na,c,,,\n`, "line 3, column 5: value differs from that of the same topic in line 2"],
    [`${HEADER}"a,b,,,\n`, "line 2"],
    [Buffer.from(`${HEADER}a,\xfc,,,\n`, "latin1"), "is not UTF-8 text"],
    [HEADER + "a,b,,,\n".repeat(150_000), "it is larger than 1000000 bytes"],
  ])("refuses %.60s with the position", (content, message) => {
    expect(() => read(content)).toThrow(UsageError);
    expect(() => read(content)).toThrow(message);
  });
});

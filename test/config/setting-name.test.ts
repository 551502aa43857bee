import { expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { nameSetting, wordsFor } from "../../src/config/setting-name.ts";
import { SETTINGS } from "../../src/config/settings.ts";

const FILE = { file: [{ origin: "calltally.yaml", values: {} }] } as const;

it("nameSetting names the key of a calltally.yaml, or the variable without one", () => {
  expect(nameSetting(SETTINGS.keepTranscripts, FILE)).toBe("keep.transcripts in calltally.yaml");
  expect(nameSetting(SETTINGS.keepTranscripts, {})).toBe("CALLTALLY_KEEP_TRANSCRIPTS");
});

it("wordsFor gives hints the same names", () => {
  const error = new UsageError("x", { hint: ({ database, aliases }) => `Set ${database} or ${aliases}.` });
  expect(error.hintIn(wordsFor(FILE))).toBe("Set database in calltally.yaml or aliases in calltally.yaml.");
  expect(error.hintIn(wordsFor({}))).toBe(error.hint);
});

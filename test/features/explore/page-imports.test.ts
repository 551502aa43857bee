import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

it("no import of zod that the page to explore contains brings all its translations", () => {
  const inPage = ["src/features/explore/browser/explore.tsx"];
  const texts = new Map<string, string>();
  for (const file of inPage) {
    const text = readFileSync(file, "utf8");
    texts.set(file, text);
    for (const [, path = ""] of text.matchAll(/^(?:import|\} from)(?! type)[^;]*?"(\.[^"]+\.tsx?)"/gm)) {
      const imported = join(dirname(file), path);
      if (!inPage.includes(imported)) inPage.push(imported);
    }
  }
  expect(inPage).toContain("src/config/request/call-options.ts");
  expect(
    [...texts].filter(([, text]) => text.includes('import { z } from "zod"')).map(([file]) => file),
  ).toEqual([]);
});

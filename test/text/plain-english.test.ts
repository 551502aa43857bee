import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPages } from "../docs/pages.ts";
import { ERRORS, listErrors } from "./list-errors.ts";
import { listMessages, MESSAGES } from "./list-messages.ts";

/** Turns that no engineer would say, each with what to write instead. */
const TURNS: readonly (readonly [turn: RegExp, instead: string])[] = [
  [/\btold apart\b|\btells? \S+( \S+)? apart\b/i, "distinguish"],
  [/\bg(ave|iven|ives?) out\b/i, "export, report"],
  [/\bstands? on\b|\bstood on\b/i, "is based on"],
  [/\banew\b/i, "again"],
  [/\bothers than\b|\banother than\b|\bothers? now\b/i, "changed, different"],
  [/\bwho(so)?ever\b/i, "anybody who"],
  [/\b(which|and|that) (is|are) none\b|\bis no (day|number|cron|csv|file|setting)\b/i, "is not a …"],
  [/\bno matter of\b|\bin so far\b|\blest\b/i, "a common word"],
  [/\bbeside\b/i, "next to, in addition to"],
  [/\b(tells|told)\b/i, "show, report, distinguish"],
  [/\bcut short\b/i, "interrupted"],
  [/\btak(en?|es) up again\b|\bgoes? on (with|from)\b/i, "resume, continue"],
  [/\bwhat (is|was|are) (\w+ ){1,3}of\b(?! (the|a) )/i, "name the thing"],
  [/\bas (it is|they are|it was) served\b/i, "as stored, as served"],
  [/\bone (row|line) an? \w/i, "one row per …"],
  [/\bleft as it is\b/i, "not changed"],
  [/\bthe books\b/i, "the counts"],
  [/\bthose there are\b|\bno matter how\b/i, "the existing ones"],
  [/\bso (long|far|often) as\b|\bas where\b/i, "as when, for example if"],
  [/\b(did|does|do) not parse\b/i, "could not be parsed"],
  [/\bthat (it|they) gave\b|\bhas them still\b/i, "a common word"],
  [/\blets? go of\b/i, "release, delete, forget"],
  [/\b(is|are) not there\b|\bwhat there is\b/i, "is missing, exists"],
  [/\btakes? (\S+ ){1,3}for (an?other|none|no|one)\b/i, "treat as, mistake for"],
  [/\bare others\b|\bis other than\b/i, "differs"],
  [/\bharms? nobody\b|\bas if nothing\b|\bgo(es)? round\b/i, "name the effect"],
  [/\bin the end\b|\bat the most\b|\bof late\b/i, "finally, at most, recently"],
  [/\bby the \w+ by which\b|\bto be had\b/i, "a common word"],
];

function* findTurns(path: string, text: string): Generator<string> {
  for (const [index, line] of text.split("\n").entries()) {
    for (const [turn, instead] of TURNS) {
      const found = turn.exec(line)?.[0];
      if (found !== undefined) yield `${path}:${index + 1}: “${found}”: ${instead}`;
    }
  }
}

/** Returns the comments and strings of a source, line by line: names are not prose. */
function proseOf(source: string): string {
  const prose = /"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/[/*]\*? .*/g;
  const lines = source
    .split("\n")
    .map((line) => (/^\s*(\*|\/[/*])/.test(line) ? line : (line.match(prose) ?? []).join(" ")));
  return lines.join("\n");
}

/** Finds titles of tests that continue the title above them, so that they cannot be read alone. */
function* findContinued(path: string, source: string): Generator<string> {
  const continued = /["`]((?:is|are|has|have|was|were) [^"`\n]*)["`],\s*(?:async )?\(/g;
  for (const [, title] of source.matchAll(continued)) yield `${path}: “${title}” names no subject`;
}

describe("findTurns", () => {
  it("finds nothing in comments and messages", () => {
    const found = globSync("src/**/*.ts").flatMap((path) => [...findTurns(path, readFileSync(path, "utf8"))]);
    expect(found).toEqual([]);
  });

  it("finds nothing in titles and comments of tests", () => {
    const paths = globSync("test/**/*.ts").filter((path) => !import.meta.filename.endsWith(path));
    const found = paths.flatMap((path) => {
      const source = readFileSync(path, "utf8");
      return [...findTurns(path, proseOf(source)), ...findContinued(path, source)];
    });
    expect(paths.length).toBeGreaterThan(300);
    expect(found).toEqual([]);
  });

  it("finds nothing in pages", () => {
    const pages = readPages();
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(({ path, text }) => [...findTurns(path, text)])).toEqual([]);
  });

  it("finds turns in prose, but not in names", () => {
    const text =
      "what is told apart\nfigures that it gave out\nit stands on\nderived anew\nwhoever\nport 99999, which is none";
    expect([...findTurns("page", text)].length).toBeGreaterThanOrEqual(6);
    expect([...findTurns("page", "The total is the sum of all rows.")]).toEqual([]);
    const code = 'it("begins anew", () => {\n  told.push(1); // whoever\n  /** Lets go of it. */';
    const found = [...findTurns("test", proseOf(code))];
    expect(found.map((line) => line.split(":")[1])).toEqual(["1", "2", "3"]);
    expect([...findTurns("test", proseOf("const told = [beside];"))]).toEqual([]);
    const titles = 'it("is empty", () => {});\nit("returns nothing that is empty", async () => {});';
    expect([...findContinued("test", titles)]).toEqual(["test: “is empty” names no subject"]);
  });
});

it(`${MESSAGES} is up to date: \`node test/text/list-messages.ts\` writes it`, () => {
  expect(readFileSync(MESSAGES, "utf8")).toBe(listMessages());
});

it(`${ERRORS} is up to date: \`node test/text/list-errors.ts\` writes it; each error has a hint`, () => {
  const errors = listErrors();
  expect(readFileSync(ERRORS, "utf8")).toBe(errors);
  const hints = errors.split("\n").filter((line) => line.startsWith("    "));
  expect(hints.length).toBeGreaterThan(200);
  expect(hints.filter((hint) => !/\w{2}/.test(hint))).toEqual([]);
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally, settingsFor } from "./run.ts";

const README = readFileSync("README.md", "utf8");

/** What is another thing each time, or on each machine, in the order it is looked for. */
const VARYING: readonly [RegExp, string][] = [
  [/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:\d+/g, "‹address›"],
  [/\/[\w/.-]+\/data\/calltally\.db/g, "‹folder›/data/calltally.db"],
  [
    /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{9}Z|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?|\b\d\d-\d\d \d\d:\d\d/g,
    "‹time›",
  ],
  [/just now|\d+ (minutes?|hours|days) ago/g, "‹age›"],
  [/\d+\.\d (s|kB|MB|GB)\b|\d+ min \d+ s\b/g, "‹amount›"],
  [/\d+\.\d+\.\d+/g, "‹version›"],
  // Widths of columns go with what is in them.
  [/ +/g, " "],
];

function mask(text: string): string {
  return VARYING.reduce((masked, [varying, name]) => masked.replace(varying, name), text);
}

interface Step {
  args: string[];
  /** Lines of the output; `…` stands for any number of them. */
  lines: string[];
}

/** As a shell does, with double quotes alone. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** The README's sessions: `$ npx calltally …`, each with what it prints. */
function readSessions(): Step[][] {
  return [...README.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => {
    const steps: Step[] = [];
    for (const line of block.trimEnd().split("\n")) {
      const [, command] = /^\$ npx calltally (.+)$/.exec(line) ?? [];
      if (command !== undefined) steps.push({ args: splitWords(command), lines: [] });
      else steps.at(-1)?.lines.push(line);
    }
    return steps;
  });
}

function toPattern(lines: readonly string[]): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const parts = lines.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${literal(mask(line).trimEnd())}\\n`));
  return new RegExp(`^${parts.join("")}$`);
}

describe("the README's sessions", () => {
  const sessions = readSessions();

  it.each(sessions.map((steps, index) => ({ title: steps[0]?.args.join(" "), steps, index })))(
    "are real: $index, $title",
    async ({ steps }) => {
      using folder = makeTempFolder();
      await using sandbox = await startSandbox({ calls: 5000, seed: 1 });
      for (const { args, lines } of steps) {
        const { code, stdout, stderr } = await calltally(args, {
          cwd: folder.path,
          env: settingsFor(sandbox),
        });
        expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
        expect(mask(stdout), args.join(" ")).toMatch(toPattern(lines));
      }
    },
  );

  it("show the commands that end by themselves", () => {
    const shown = new Set(sessions.flat().map(({ args }) => args[0]));
    expect([...shown].sort()).toEqual(
      [
        "backup",
        "demo",
        "doctor",
        "explain",
        "export",
        "insight",
        "query",
        "restore",
        "schema",
        "status",
        "sync",
        "webhook",
      ].sort(),
    );
  });

  it("are told apart from what the program does not print", () => {
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).toMatch(toPattern(["Run 1, 12.5 s", "…"]));
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).not.toMatch(
      toPattern(["Run 1, 0.8 s", "verdict verified"]),
    );
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).not.toMatch(toPattern(["Run 1, 0.8 s"]));
  });
});

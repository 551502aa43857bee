import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAPABILITIES, filesElsewhere, LISTS } from "../deletion/capabilities.ts";
import { folderOf, importsOf, listFiles, ROOMS, roomOf, SRC, TEST_FOLDERS } from "./rooms.ts";
import { findLargeFolders, findLongFiles, findLongFunctions, PAGE, withRooms } from "./structure.ts";

const levelOf = (room: string) => ROOMS.findIndex(({ name }) => name === room);
const isDemo = (file: string) => file.startsWith("sandbox/demo/");
/** The only commands that import jobs. */
const RUN_JOBS = ["cli/commands/job.ts", "cli/commands/schedule.ts"];

/** The sandbox serves calls, and defines the rest of the wire format independently; the command and the demo start it. */
function mayImport(file: string, imported: string): boolean {
  const [from, to] = [roomOf(file), roomOf(imported)];
  if (from === to) return mayImportFolder(from, folderOf(file), folderOf(imported));
  if (from === "sandbox" && !isDemo(file)) return to === "calls";
  if (to === "sandbox") return from === "cli";
  if (imported.startsWith("operate/jobs/")) return RUN_JOBS.includes(file);
  const only = ROOMS[levelOf(from)]?.only;
  return only?.includes(to) ?? levelOf(to) < levelOf(from);
}

function mayImportFolder(room: string, from: string, to: string): boolean {
  const { folders } = ROOMS[levelOf(room)] ?? {};
  if (folders === undefined || from === to) return true;
  const lineOf = (folder: string) => folders.findIndex((line) => line.includes(folder));
  // A room's own files and the folders of their line are one: formats and outlets.
  const isOne = folders[lineOf(from)]?.includes(".") && lineOf(from) === lineOf(to);
  return isOne || lineOf(to) < lineOf(from);
}

/** Its command, for example. */
function isFileOf(feature: string, file: string): boolean {
  const capability = CAPABILITIES[feature];
  return capability !== undefined && filesElsewhere(capability).includes(`src/${file}`);
}
const featureOf = (file: string) => /^features\/([^/]+)\//.exec(file)?.[1];

describe("imports", () => {
  it("enter a feature only through lists and its own files in other rooms", () => {
    const files = listFiles().filter((file) => !(`src/${file}` in LISTS));
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => {
          const feature = featureOf(imported);
          return feature !== undefined && feature !== featureOf(file) && !isFileOf(feature, file);
        })
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it("follow the order of rooms, and of folders in a room, in one direction", () => {
    const wrong = listFiles().flatMap((file) =>
      importsOf(file)
        .filter((imported) => !mayImport(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("rooms", () => {
  it("each folder of src is a room, and each room exists, with the file to start reading", () => {
    const found = new Set(listFiles().map(roomOf));
    expect([...found].toSorted()).toEqual(ROOMS.map(({ name }) => name).toSorted());
    for (const { name, start } of ROOMS) {
      expect(roomOf(start)).toBe(name);
      expect(existsSync(join(SRC, start)), start).toBe(true);
    }
  });

  it("each listed folder of a room exists, and each of its folders is listed", () => {
    const files = listFiles();
    for (const { name, folders } of ROOMS) {
      if (folders === undefined) continue;
      const found = new Set(files.filter((file) => roomOf(file) === name).map(folderOf));
      expect(folders.flat().toSorted(), name).toEqual([...found].toSorted());
    }
  });
});

const codeOf = (page: string) => Array.from(page.matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code);
/** The files and folders that a page names, from src or from the root. */
const pathsOf = (page: string) => codeOf(page).filter((code) => /^[\w./-]+(\/|\.tsx?|\.json)$/.test(code));
const isThere = (path: string) => existsSync(join(SRC, path)) || existsSync(path);

describe("structure", () => {
  it(`${PAGE} shows the rooms as they are: npm run docs:write`, () => {
    const page = readFileSync(PAGE, "utf8");
    expect(page).toBe(withRooms(page));
  });

  it("each folder of test is that of a room, or listed with what it holds", () => {
    const folders = readdirSync("test", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const listed = [...ROOMS.map(({ name }) => name), ...Object.keys(TEST_FOLDERS)];
    expect(folders.map(({ name }) => name).toSorted()).toEqual(listed.toSorted());
  });

  it(`${PAGE} names files and folders that exist`, () => {
    const lost = pathsOf(readFileSync(PAGE, "utf8")).filter((path) => !isThere(path));
    expect(lost).toEqual([]);
    const planted = "`figures/none.ts`, `none.ts`, `test/none/`, `sources/session.ts`, `npm run test:none`";
    expect(pathsOf(planted).filter((path) => !isThere(path))).toEqual([
      "figures/none.ts",
      "none.ts",
      "test/none/",
    ]);
  });

  it(`${PAGE} names things of the code that exist`, () => {
    const files = globSync(["src/**/*.{ts,tsx}", "package.json", "test/warehouse/**/*.ts"]);
    const words = new Set(files.flatMap((file) => readFileSync(file, "utf8").match(/\w+/g) ?? []));
    const spans = codeOf(readFileSync(PAGE, "utf8")).filter((span) => /^\w+$/.test(span));
    expect(spans.filter((span) => !words.has(span))).toEqual([]);
    expect(spans).toContain("overAccounts");
  });

  it("no function has more than 80 lines, and at most four files more than 300", () => {
    expect(findLongFunctions(80)).toEqual([]);
    expect(findLongFiles(300).length).toBeLessThanOrEqual(4);
  });

  it("no folder but that of commands has more than 25 files", () => {
    expect(findLargeFolders(25)).toEqual([]);
  });
});

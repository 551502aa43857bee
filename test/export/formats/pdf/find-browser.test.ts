import { describe, expect, it } from "vitest";
import { UsageError } from "../../../../src/base/errors.ts";
import { findBrowser } from "../../../../src/export/formats/pdf/find-browser.ts";

interface Case {
  title: string;
  platform: NodeJS.Platform;
  env: Record<string, string>;
  programs: string[];
  browser: string;
}

const LINUX = { PATH: "/opt/bin:/usr/bin" };
const WINDOWS = {
  ProgramFiles: "C:\\Programs",
  "ProgramFiles(x86)": "C:\\Programs (x86)",
  LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local",
};

const CASES: Case[] = [
  {
    title: "Chromium of Debian",
    platform: "linux",
    env: LINUX,
    programs: ["/usr/bin/chromium", "/usr/sbin/google-chrome"],
    browser: "/usr/bin/chromium",
  },
  {
    title: "Chrome rather than Chromium, which may be a snap",
    platform: "linux",
    env: LINUX,
    programs: ["/opt/bin/chromium-browser", "/usr/bin/google-chrome"],
    browser: "/usr/bin/google-chrome",
  },
  {
    title: "Edge on Linux",
    platform: "linux",
    env: LINUX,
    programs: ["/opt/bin/microsoft-edge"],
    browser: "/opt/bin/microsoft-edge",
  },
  {
    title: "Edge of a user of macOS",
    platform: "darwin",
    env: { HOME: "/Users/ann", PATH: "/usr/bin" },
    programs: [
      "/Users/ann/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
      "/usr/bin/chromium",
    ],
    browser: "/Users/ann/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  },
  {
    title: "Chromium on the path of macOS",
    platform: "darwin",
    env: { PATH: "/opt/homebrew/bin" },
    programs: ["/opt/homebrew/bin/chromium"],
    browser: "/opt/homebrew/bin/chromium",
  },
  {
    title: "Edge of Windows",
    platform: "win32",
    env: WINDOWS,
    programs: ["C:\\Programs (x86)\\Microsoft\\Edge\\Application\\msedge.exe"],
    browser: "C:\\Programs (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
  },
  {
    title: "Chrome of a user of Windows",
    platform: "win32",
    env: WINDOWS,
    programs: [
      "C:\\Users\\ann\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe",
      "C:\\Programs\\Microsoft\\Edge\\Application\\msedge.exe",
    ],
    browser: "C:\\Users\\ann\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe",
  },
];

describe("findBrowser", () => {
  it.each(CASES)("finds $title", ({ platform, env, programs, browser }) => {
    const machine = { platform, env, isProgram: (file: string) => programs.includes(file) };
    expect(findBrowser(undefined, machine)).toBe(browser);
  });

  it("takes the browser of the setting before an installed one", () => {
    const machine = { platform: "linux" as const, env: LINUX, isProgram: () => true };
    expect(findBrowser("/srv/chrome", machine)).toBe("/srv/chrome");
  });

  it.each(["linux", "darwin", "win32"] as const)("says what to install if there is none: %s", (platform) => {
    const machine = { platform, env: {}, isProgram: () => false };
    const error = catchError(() => findBrowser(undefined, machine));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      exitCode: 2,
      message: "Cannot print a PDF: no Chromium, Google Chrome or Microsoft Edge was found",
      hint: "Install Chromium, Google Chrome or Microsoft Edge, or name one with CALLTALLY_BROWSER.",
    });
  });

  it.each(["/etc/passwd", "/usr", "/nonexistent/chrome"])(
    "refuses a setting that names no program, also if others are installed: %s",
    (file) => {
      expect(catchError(() => findBrowser(file))).toMatchObject({
        exitCode: 2,
        message: `Cannot print a PDF: CALLTALLY_BROWSER ${file} is no program that this user may run`,
      });
    },
  );
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

#!/usr/bin/env -S node --max-semi-space-size=8
// The flag keeps V8 from letting a page's garbage pile up: 330 MB at most instead of 410 in a sync of 100,000 calls.
//
// This file runs on any Node: under an old one the program's libraries fail without a word, so they come after this.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  import("./main.ts").then(({ main }) => main());
} else {
  process.stderr.write(
    `calltally needs Node 22.19 or newer; this is Node ${process.versions.node}.\n` +
      "In its own folder, `npm ci` brings Node 24 along and `npx calltally` uses it.\n" +
      "Elsewhere, install a newer Node from https://nodejs.org.\n",
  );
  process.exitCode = 2;
}

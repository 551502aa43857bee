#!/usr/bin/env -S node --max-semi-space-size=8
// The flag makes V8 collect a page's garbage early: 330 MB at most in a first load of 1,000,000 calls, 420 without it.
import { nodeProblem, restart } from "../base/node-version.js";
import { failToLoad } from "./fail-to-load.ts";

if (nodeProblem === undefined) import("./main.ts").then(({ main }) => main(), failToLoad);
else restart(nodeProblem);

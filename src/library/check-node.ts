import { nodeProblem } from "../base/node-version.js";

// Imported before all else: under an old Node the libraries crash.
if (nodeProblem !== undefined) throw new Error(nodeProblem);

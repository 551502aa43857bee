import { createRequire } from "node:module";
import { join } from "node:path";
import { DIST } from "./built.ts";
import { HAS_PROCESSES } from "./run.ts";

/** The library's module: as built, since its threads start in a third of the time; from src where mutants are switched on. */
export const LIBRARY = HAS_PROCESSES
  ? join(DIST, "index.js")
  : join(import.meta.dirname, "../../src/library/index.ts");

const library: typeof import("../../src/library/index.ts") = createRequire(import.meta.url)(LIBRARY);

export const { CalltallyError, openWarehouse, syncWarehouse } = library;

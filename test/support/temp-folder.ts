import { type DisposableTempDir, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes an empty folder that goes, with all that is in it, at the end of the `using` scope. */
export function makeTempFolder(): DisposableTempDir {
  return mkdtempDisposableSync(join(tmpdir(), "calltally-test-"));
}

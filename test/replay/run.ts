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
import type { Case, Fixture } from "./case.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { PUBLISHED } from "./cluster-commands.ts";
import { CASES } from "./commands.ts";
import { compare } from "./compare.ts";
import { FIXTURES } from "./fixtures.ts";
import { type Outcome, Recorder } from "./outcome.ts";
import { type Ended, isBuilt, opened, play, type Stand, setUp } from "./play.ts";
import { PORTS, startService } from "./service.ts";

const USAGE = `npm run test:replay -- OLD NEW [--only REGEX] [--every N] [--jobs 2] [--cache FOLDER] [--own] [--lines 60]

Runs the same command lines with two builds, and lists what they do differently: files, standard output,
standard error, exit codes, rows of the warehouse. Exits with 1 if there is anything.

  OLD, NEW     folders with a dist/ that npm run build has made
  --only       the cases whose name matches
  --every      each N-th of them alone
  --list       prints the names of the cases alone
  --jobs       processes at once, 1 or 2  (default: 2)
  --cache      where fixtures and what the old build did are kept  (default: below the folder of temporary files)
  --own        each build makes its warehouses itself, where the new one cannot open those of the old one
  --lines      lines of a difference that are shown  (default: 60)
  --repeat     also runs the old build again, where what it did is known
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
    lines: { type: "string", default: "60" },
    repeat: { type: "boolean", default: false },
  },
});

const LANES = 2;

/** A built program, and what tells it from others. */
interface Build {
  root: string;
  key: string;
}

/** What tells this harness from others, but for its list of cases. */
const HARNESS = hash(
  "sha256",
  [
    "play",
    "outcome",
    "workbook-lines",
    "parquet-lines",
    "service",
    "calls",
    "frozen-clock",
    "library-call",
    "case",
    "cluster",
    "mail-text",
  ]
    .map((name) => readFileSync(join(import.meta.dirname, `${name}.ts`), "utf8"))
    .join("\n"),
);
const cache = resolve(values.cache);
/** Below the ports that systems hand out unasked. */
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

/** Returns the folder of a fixture, which a build makes where it is not there yet. */
async function makeFixture(name: string, build: Build, stand: Stand): Promise<string> {
  const fixture = fixtureOf(name);
  const folder = join(cache, "fixtures", keyOf([chainOf(name), build.key, stand.folder]));
  if (existsSync(folder)) return folder;
  setUp(stand, fixture.on === undefined ? undefined : await makeFixture(fixture.on, build, stand));
  await play(stand, fixture.steps, {
    build: build.root,
    env: fixture.env,
    compiled: compiledOf(build),
    onEnded: () => undefined,
  });
  for (const file of globSync("**/*.db", { cwd: stand.folder }))
    opened(join(stand.folder, file))[Symbol.dispose]();
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
    onEnded: recorder.onEnded,
  });
  return await recorder.finish(fixture);
}

/** Returns what the old build does, as it is kept where it has been done before. */
async function playOld(each: Case, build: Build, stand: Stand): Promise<Outcome> {
  const key = keyOf([each, chainOf(each.on), build.key, stand.folder]);
  const file = join(cache, "outcomes", `${key}.json`);
  if (existsSync(file) && !values.repeat) return JSON.parse(readFileSync(file, "utf8"));
  const outcome = await playCase(each, build, build, stand);
  mkdirSync(join(cache, "outcomes"), { recursive: true });
  writeFileSync(file, JSON.stringify(outcome));
  return outcome;
}

/** Publishes to databases of the cluster what cases ask it for. */
async function publish(cluster: Cluster, build: Build): Promise<void> {
  await using stand = await openStand(0, cluster);
  for (const { database, on, env } of PUBLISHED) {
    setUp(stand, await makeFixture(on, build, stand));
    const onEnded = ({ code, stderr }: Ended) => {
      if (code !== 0 && code !== 3) throw new Error(`Cannot publish ${on}: ${stderr}`);
    };
    const options = { build: build.root, compiled: compiledOf(build), onEnded };
    await play(stand, [`publish --to CLUSTER/${database}`], {
      ...options,
      env: { ...fixtureOf(on).env, ...env },
    });
  }
}

async function openStand(lane: number, cluster: Cluster | undefined): Promise<Stand & AsyncDisposable> {
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
  { old, now, cluster }: { old: Build; now: Build; cluster: Cluster | undefined },
): Promise<void> {
  await using stand = await openStand(lane, cluster);
  for (const each of cases) {
    const before = await playOld(each, old, stand);
    const startMs = performance.now();
    const after = await playCase(each, now, values.own ? now : old, stand);
    spentMs += performance.now() - startMs;
    const differences = compare(each, before, after, values.own);
    if (differences.length > 0) found.push({ each, differences });
    for (const { code } of before.runs) codes.set(code, (codes.get(code) ?? 0) + 1);
    if (++played % 50 === 0) process.stderr.write(`${played} of ${chosen.length}, ${found.length} differ\n`);
  }
}

const named = CASES.filter(({ name }) => new RegExp(values.only).test(name)).filter(
  (_, index) => index % Number(values.every) === 0,
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const chosen = named.filter(({ isOfCluster = false }) => HAS_CLICKHOUSE || !isOfCluster);
const commands = chosen
  .flatMap(({ steps }) => steps)
  .filter((step) => typeof step === "string" || "library" in step);
const codes = new Map<number | null, number>();
const found: { each: Case; differences: string[] }[] = [];
let played = 0;
let spentMs = 0;

if (values.list) {
  process.stdout.write(chosen.map(({ name }) => `${name}\n`).join(""));
} else {
  const [old, now] = [findBuild(positionals[0]), findBuild(positionals[1])];
  await using cluster = chosen.some(({ isOfCluster }) => isOfCluster) ? await startCluster() : undefined;
  if (cluster !== undefined) await publish(cluster, old);
  const lanes = Array.from({ length: LANES }, (_, lane) => chosen.filter((each) => laneOf(each) === lane));
  const builds = { old, now, cluster };
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
    `\n${chosen.length} cases of ${commands.length} commands: ${chosen.length - found.length} equal, ${found.length} differ. ` +
      `The old build ended ${ends.join(", ")}. The new one took ${Math.round(spentMs / 1000)} s.\n`,
  );
  if (named.length > chosen.length)
    process.stdout.write(`${named.length - chosen.length} cases were left out: there is no ClickHouse.\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

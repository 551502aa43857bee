import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { deriveSeed, seededRandom } from "../../../src/sandbox/random.ts";
import { Service, type TrueCall } from "../service.ts";
import type { World } from "../types.ts";
import type { Client, ClientName } from "./types.ts";

/**
 * The zones are west and east of UTC, and the first warehouse is reached through a link. The currency is one, so that one file
 * can have the revenue of all.
 */
const PLANS = [
  { name: "oahu", timezone: "Pacific/Honolulu", mark: "Plumeria", firstId: 1_000_001 },
  { name: "chicago", timezone: "America/Chicago", mark: "Windmill", firstId: 2_000_001 },
  { name: "auckland", timezone: "Pacific/Auckland", mark: "Kauri", firstId: 3_000_001 },
] as const;
const QUALIFIED = { oahu: 45, chicago: 60, auckland: 75 };
const PREFIX = { oahu: "+180855501", chicago: "+131255502", auckland: "+649555103" };
const tokenOf = (name: ClientName) => `token-of-${name}-1`;

export function makeClients(seed: number, world: Pick<World, "readFile" | "now">): Client[] {
  return PLANS.map((plan) => {
    const database = plan.name === "oahu" ? "data/linked/calls.db" : `data/${plan.name}.db`;
    const prefix = PREFIX[plan.name];
    return {
      ...plan,
      currency: "USD",
      numbers: [`${prefix}01`, `${prefix}02`, `${prefix}03`],
      database,
      otherName: database.replace("data/linked", "vault"),
      service: new Service({
        now: world.now,
        random: seededRandom(deriveSeed(seed, plan.name)),
        order: plan.name === "chicago" ? "id" : "start",
        token: tokenOf(plan.name),
      }),
      rules: { qualified_seconds: QUALIFIED[plan.name], aliases: {} },
      lists: new Map(),
      jobs: [],
      forgotten: new Set(),
      silences: [],
      judgedAt: [],
      counted: undefined,
      lastRun: 0,
      callsMade: 0,
      read: (sql) => world.readFile(database, sql),
    };
  });
}

/** Writes the folders and tokens of the clients. */
export function furnish(clients: readonly Client[]): void {
  for (const folder of ["vault", "data"]) mkdirSync(folder, { recursive: true });
  symlinkSync("../vault", "data/linked");
  for (const { name } of clients) writeFileSync(`secrets/${name}`, `${tokenOf(name)}\n`, { mode: 0o600 });
}

/** The settings of the agency; also writes the files that they name. */
export function agencySettings(clients: readonly Client[]): Record<string, unknown> {
  return {
    base_url: "http://127.0.0.1:9",
    log_level: "silent",
    answered: ["answered"],
    missed: ["missed"],
    accounts: Object.fromEntries(
      clients.map(({ name, timezone, database, rules }) => {
        const aliases = Object.entries(rules.aliases).map((pair) => `${pair.join()}\n`);
        writeFileSync(`aliases-${name}.csv`, `raw,value\n${aliases.join("")}`);
        return [
          name,
          {
            ...{ timezone, database, token_file: `secrets/${name}`, export_dir: `exports/${name}` },
            ...{ qualified_seconds: rules.qualified_seconds, aliases: `aliases-${name}.csv` },
          },
        ];
      }),
    ),
  };
}

/** The calls that the service has or had, by id. */
export function everyCall({ service }: Client): Map<number, TrueCall> {
  const removed = [...service.removed].map(([id, { call }]): [number, TrueCall] => [id, call]);
  return new Map([...removed, ...service.calls]);
}

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { readPage } from "../../features/explore/read-page.ts";
import type { Ran, World } from "../types.ts";
import type { Client } from "./types.ts";

/** Files of one client are in folders, or have names, with its name; the database of the first is in a folder of its own. */
function filesOf(world: World, { name, otherName }: Client): string[] {
  return readdirSync(world.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(world.folder.length + 1))
    .filter((file) => file.split(sep).some((part) => part.includes(name)) || file.startsWith(otherName));
}

/** The bytes of a file, and what is packed in a page to explore. */
function textsOf(world: World, file: string): Buffer[] {
  const bytes = readFileSync(world.path(file));
  if (!file.endsWith("explore.html")) return [bytes];
  return [bytes, Buffer.from(JSON.stringify(readPage(world.path(file)).data.values))];
}

/** Words and numbers of another client are in no file of a client, and none of its calls in the warehouse. */
export function checkOwn(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end" && !(ran.args.includes("report") && !ran.isKilled)) return undefined;
  for (const client of world.clients) {
    const others = world.clients.filter((other) => other !== client);
    const alien = others.flatMap(({ mark, numbers }) => [mark, ...numbers]);
    for (const file of filesOf(world, client)) {
      for (const bytes of textsOf(world, file)) {
        const found = alien.find((word) => bytes.includes(word));
        if (found !== undefined) return `${file} of ${client.name} has ${found}`;
      }
      world.count("files of clients searched");
    }
  }
  return undefined;
}

/** No file of a client has a caller that it has forgotten. */
export function checkForgotten(world: World, ran: Ran | "the end"): string | undefined {
  const isAsked =
    ran === "the end" || (!ran.isKilled && ["forget", "report"].some((word) => ran.args.includes(word)));
  if (!isAsked) return undefined;
  for (const client of world.clients) {
    if (client.forgotten.size === 0) continue;
    for (const file of filesOf(world, client)) {
      for (const bytes of textsOf(world, file)) {
        const found = [...client.forgotten].find((number) => bytes.includes(number.slice(1)));
        if (found !== undefined) return `${file} of ${client.name} has ${found} after it was forgotten`;
      }
    }
    world.count("clients searched for forgotten callers");
  }
  return undefined;
}

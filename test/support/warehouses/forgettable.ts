import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../src/sandbox/server.ts";

/** A caller of the sandbox, and their data that must be nowhere once they are forgotten. */
export interface Person {
  number: string;
  callIds: number[];
  traces: string[];
}

/** Six notations of a number of the sandbox, all of +1. */
export function spell(number: string): string[] {
  const digits = number.slice(2);
  const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)];
  return [
    number,
    `1${digits}`,
    `001${digits}`,
    `+1 ${area} ${exchange} ${line}`,
    `(${area}) ${exchange}-${line}`,
    `${area}.${exchange}.${line}`,
  ];
}

const WORDS = 20;

/**
 * Gives callers of the sandbox personal data in every possible member: words of their own in transcripts, and
 * their number in all notations, in their own texts, in those of others, and in a row that cannot be parsed.
 *
 * @param share every nth caller
 */
export function makePersonal(sandbox: Sandbox, most: number): Person[] {
  const { calls } = sandbox;
  const byNumber = Map.groupBy(calls.ids, (id) => String(calls.get(id)?.caller_id ?? ""));
  byNumber.delete("");
  const people = [...byNumber]
    .sort(([a, one], [b, other]) => other.length - one.length || a.localeCompare(b))
    .slice(0, most);
  const named = new Set(people.map(([number]) => number));
  const others = calls.ids.filter((id) => !named.has(String(calls.get(id)?.caller_id)));
  return people.map(([number, callIds], person) => {
    const spellings = spell(number);
    const traces = [...spellings];
    for (const id of callIds) {
      const words = Array.from({ length: WORDS }, (_, word) => `q${id}w${word}z`);
      traces.push(...words);
      const said = `${words.join(" ")}, call me at ${spellings.join(", or ")}`;
      const dni = calls.get(id)?.dni_data;
      calls.edit(id, {
        transcription: said,
        summary: said,
        transcription_details: [{ channel: "caller", time: "00:01", text: said }],
        callback: { number: Number(number.slice(1)), note: said },
        recording_url: `https://recordings.example.com/${number}/${words[0]}.mp3?Signature=${id}`,
        dni_data: {
          ...(typeof dni === "object" ? dni : {}),
          google_analytics_cid: `${words[1]}.1`,
          referring_url: `https://www.example${person}.com/thanks?phone=${encodeURIComponent(number)}&w=${words[2]}`,
        },
      });
    }
    const other = others[3 * person];
    if (other !== undefined)
      calls.edit(other, { transcription: `Call my friend at ${spellings.join("; ")}.` });
    const noId = others[3 * person + 1];
    if (person === 0 && noId !== undefined) calls.edit(noId, { summary: [number] });
    const bad = callIds.at(-1);
    if (person === 1 && bad !== undefined) calls.edit(bad, { disposition: [spellings[4]] });
    return { number, callIds, traces };
  });
}

/** Removes personal data from referrers: no `keep` setting concerns them. */
export function clearAddresses({ calls }: Sandbox, people: readonly Person[]): void {
  for (const id of people.flatMap(({ callIds }) => callIds))
    calls.edit(id, { dni_data: { referring_url: "https://www.example.com/" } });
}

/** Returns which traces are in which files below a folder. */
export function findTraces(folder: string, people: readonly Person[]): string[] {
  const found: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path, "latin1");
    for (const { traces } of people) {
      for (const trace of traces) if (bytes.includes(trace)) found.push(`${name}: ${trace}`);
    }
  }
  return found;
}

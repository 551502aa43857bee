import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { toPhoneDigits } from "../attribution/call-text.ts";
import { systemClock } from "../clock.ts";
import { readCallersFile } from "../config/callers-file.ts";
import { sweepRunFolders } from "../delivery/run-folder.ts";
import { UsageError } from "../errors.ts";
import {
  findPersonalFiles,
  isManifest,
  type PersonalFile,
  removePersonalFiles,
  tracesInExports,
} from "../export/personal-files.ts";
import { toFileError } from "../file-access.ts";
import { PHONE_NUMBER } from "../phone-number.ts";
import { lockedError } from "../sync/ledger.ts";
import { findCopies } from "../warehouse/backup-table.ts";
import { eraseFreed, keepTempFilesBeside } from "../warehouse/erase.ts";
import { type Forgettable, type Forgotten, forgetCallers, prepareMaskJson } from "../warehouse/forget.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { holdsTraces } from "../warehouse/personal-bytes.ts";
import { readPublications } from "../warehouse/publication-table.ts";
import { recoverUploads } from "../warehouse/upload-table.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { formatQuantity } from "./terminal-text.ts";

/** Somebody who is to be forgotten, and how an error names the place where that was said, since it must not name whom. */
type Named = Forgettable & { as: string };

export function forgetCommand(context: Context) {
  return new Command("forget")
    .description(
      "Removes the personal data of callers: numbers, transcripts, links to recordings. Their calls still count, and no " +
        "sync brings the data back.",
    )
    .argument("[number...]", "phone numbers with their country codes")
    .option("--file <file>", "a file of phone numbers, one per line; text after a # is a comment")
    .option(
      "--caller-hash <hex>",
      "a caller as caller_hash in exported files; may be given more than once",
      collect,
    )
    .option("--exports", "also remove exported files that name them", false)
    .option("--allow-empty", "accept numbers without calls, and keep them out from now on", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", '\nExample:\n  $ calltally forget "+49 30 123456" --exports')
    .action(async (numbers, { file, callerHash = [], exports, allowEmpty, json, ...flags }) => {
      const byHash = parseHashes(callerHash);
      const hashes = byHash.map((one) => one.callerHash);
      const whom = [...parseNumbers(numbers), ...readFile(file), ...byHash];
      if (whom.length === 0)
        throw new UsageError("Cannot forget: no number, --file or --caller-hash was given");
      const settings = settingsOf(context, flags);
      const { database, exportDir } = settings;
      keepTempFilesBeside(database);
      using lock = tryAcquireLock(database);
      if (lock === undefined) throw lockedError(database);
      using warehouse = openOwn(settings, openExistingWarehouse, { isLocked: true });
      const forgotten = forgetCallers(warehouse, whom, {
        nowMs: systemClock.now(),
        isUnknownAllowed: allowEmpty,
      });
      if (forgotten.unknown.length > 0 && !allowEmpty) throw unknownError(whom, forgotten.unknown);
      eraseFreed(warehouse, systemClock.now());
      sweepRunFolders(warehouse.path);

      const traces = tracesInExports(database, forgotten.callers, { ...forgotten, hashes });
      const maskJson = prepareMaskJson(warehouse);
      const search = { exportFolder: exportDir, traces, pseudonyms: forgotten.pseudonyms, maskJson };
      const files = findPersonalFiles(warehouse, search);
      // Without its draft, a file of a killed export would count as one that was moved away.
      recoverUploads(warehouse);
      if (exports) await removePersonalFiles(files, maskJson, context.signal);
      const numbersOnly = traces.numbers.map((number) => number.slice(1));
      const texts = [...numbersOnly, ...traces.texts];
      const copies = findCopies(warehouse).filter((copy) => mayHold(copy, texts));
      const clusters = readPublications(warehouse).flatMap(({ target, is_behind }) =>
        is_behind ? [target] : [],
      );
      const left = { files, isRemoved: exports, copies, clusters };
      if (json) context.print(JSON.stringify(toJson(forgotten, left)));
      else describe(context, forgotten, left);
    });
}

/** One that cannot be read may. */
function mayHold(copy: string, texts: readonly string[]): boolean {
  try {
    return holdsTraces(copy, { numbers: [], texts });
  } catch (error) {
    if (toFileError(error) === undefined) throw error;
    return true;
  }
}

interface Left {
  files: readonly PersonalFile[];
  isRemoved: boolean;
  copies: readonly string[];
  /** Addresses of clusters that are to be published to again. */
  clusters: readonly string[];
}

function toJson({ counts, unknown, newKey }: Forgotten, { files, isRemoved, copies, clusters }: Left) {
  return {
    forgotten: counts,
    unknown: unknown.length,
    exported_files: files.map((file) => ({ ...file, removed: isRemoved })),
    copies,
    clusters,
    ...(newKey !== undefined && { new_key: newKey }),
  };
}

function describe(context: Context, { counts, newKey }: Forgotten, left: Left): void {
  const { files, isRemoved, copies, clusters } = left;
  const { callers, calls, transcripts, rejected_rows, texts } = counts;
  const others = [
    transcripts > 0 && formatQuantity(transcripts, "transcript"),
    rejected_rows > 0 && formatQuantity(rejected_rows, "rejected row"),
    texts > 0 && formatQuantity(texts, "other text"),
  ].filter((part) => part !== false);
  const more = others.length > 0 ? `; in ${others.join(", ")} as well` : "";
  context.tell(
    `${formatQuantity(callers, "caller")} forgotten: what is personal is gone from ${formatQuantity(calls, "call")}${more}. Figures stay as they were.`,
  );
  if (newKey !== undefined)
    context.note(
      `${newKey} is new: without it forgotten callers would come back. Keep it with your backups.`,
    );
  const list = (paths: readonly string[]) =>
    paths.map((path) => `\n  ${relative(context.folder, path)}`).join("");
  if (isRemoved) {
    const [manifests, others] = [true, false].map((is) =>
      files.map(({ path }) => path).filter((path) => isManifest(path) === is),
    );
    const say = (what: string, done: string, paths: readonly string[] = []) =>
      paths.length > 0 && context.tell(`${formatQuantity(paths.length, what)} ${done}:${list(paths)}`);
    say("exported file", "removed", others);
    say("manifest", "rewritten without them", manifests);
  }
  const having = files.filter(({ holds }) => holds === "yes").map(({ path }) => path);
  const perhaps = files.filter(({ holds }) => holds === "perhaps").map(({ path }) => path);
  if (!isRemoved && having.length > 0) context.note(`Exported files that have them still:${list(having)}`);
  if (!isRemoved && perhaps.length > 0) {
    context.note(`Exported files that may have them still, and do not tell:${list(perhaps)}`);
  }
  if (!isRemoved && files.length > 0) context.note("Remove them with --exports, and export anew.");
  if (copies.length > 0) context.note(`Copies of the warehouse that have them still:${list(copies)}`);
  if (clusters.length > 0) {
    const named = clusters.map((target) => `\n  ${target}`).join("");
    context.note(`Clusters that have them until the next publication, which erases them there:${named}`);
  }
  context.note(
    "Out of reach: backups and files that were moved elsewhere, what was delivered, and what the file system and the disk keep of overwritten files.",
  );
}

/** Names the places, and not the numbers, which must not get into a log. */
function unknownError(whom: readonly Named[], unknown: readonly number[]): UsageError {
  const places = unknown.map((index) => whom[index]?.as).join(", ");
  return new UsageError(`Cannot forget ${places}: nothing in the warehouse is of such a caller`, {
    hint: "Nobody was forgotten. Check the country code, or use --allow-empty to keep such numbers out from now on.",
  });
}

function parseNumbers(numbers: readonly string[]): Named[] {
  return numbers.map((text, index) => {
    const caller = toPhoneDigits(text);
    const as = numbers.length === 1 ? "the number" : `number ${index + 1}`;
    if (PHONE_NUMBER.test(caller)) return { caller, as };
    throw new UsageError(`Cannot forget ${as}: it is not a phone number with its country code`);
  });
}

function readFile(file: string | undefined): Named[] {
  if (file === undefined) return [];
  return readCallersFile(file, "--file").map((caller, index) => ({
    caller,
    as: `number ${index + 1} of ${file}`,
  }));
}

function parseHashes(hashes: readonly string[]): (Named & { callerHash: string })[] {
  return hashes.map((callerHash) => {
    if (/^[0-9a-f]{64}$/i.test(callerHash))
      return { callerHash: callerHash.toLowerCase(), as: `--caller-hash ${callerHash.slice(0, 8)}…` };
    throw new UsageError(
      "Cannot forget by --caller-hash: it takes the 64 hexadecimal digits of an exported file",
    );
  });
}

function collect(text: string, collected: readonly string[] | undefined): readonly string[] {
  return [...(collected ?? []), text];
}

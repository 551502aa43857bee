import { namesOf } from "../../base/records.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import type { ShownUpload, UploadNotes } from "./upload-ledger.ts";

/** The text about a file in each list, with the command that takes it back. */
const SAID: Record<keyof UploadNotes, (file: ShownUpload, command: string) => string> = {
  counted: (_, command) => `counts as uploaded from now on. If you do not upload it: ${command}`,
  replaced: (_, command) => `was replaced here and counts as uploaded. If it was not uploaded: ${command}`,
  rewritten: () =>
    "of a killed export was replaced here: its conversions are due again. If you uploaded it, do not upload them twice.",
  left: ({ path }, command) =>
    `of a killed export may have been uploaded, so it counts as uploaded: ${path}. If it was not uploaded: ${command}`,
};

export function describeUploads(notes: UploadNotes): string[] {
  return namesOf(SAID).flatMap((list) =>
    (notes[list] ?? []).map((file) => {
      const { upload_file_id, contents, rows, written_at } = file;
      const day = written_at.slice(0, "YYYY-MM-DD".length);
      const name = `File ${upload_file_id} (${contents}, ${formatQuantity(rows, "row")}, ${day})`;
      return `${name} ${SAID[list](file, `calltally uploads forget ${upload_file_id}`)}`;
    }),
  );
}

/** A line that is no job, or a job that has no call. */
export interface RejectedJob {
  file: string;
  line: number;
  job_id: string | null;
  kind: "left out" | "unmatched";
  reason: string;
  /** The word of its stage, if that is unknown. */
  word?: string | undefined;
}

/** A file of another kind may have a word for each line. */
const MAX_WORDS = 1000;

/** Lines that are not imported, in the order of files and lines; later reasons replace earlier ones. */
export class RejectedJobs {
  /** How many lines have each word that is no stage. */
  readonly words = new Map<string, number>();
  readonly #byFile: { name: string; lines: Map<number, Omit<RejectedJob, "file">> }[];

  constructor(files: readonly string[]) {
    this.#byFile = files.map((name) => ({ name, lines: new Map() }));
  }

  /** @param file its number, from 1 on */
  add(file: number, job: Omit<RejectedJob, "file">): void {
    this.#byFile[file - 1]?.lines.set(job.line, job);
  }

  addWord(word: string): void {
    const count = this.words.get(word);
    if (count !== undefined || this.words.size < MAX_WORDS) this.words.set(word, (count ?? 0) + 1);
  }

  remove(file: number, line: number): void {
    this.#byFile[file - 1]?.lines.delete(line);
  }

  list(): RejectedJob[] {
    return this.#byFile.flatMap(({ name, lines }) =>
      [...lines.values()].sort((a, b) => a.line - b.line).map((job) => ({ file: name, ...job })),
    );
  }
}

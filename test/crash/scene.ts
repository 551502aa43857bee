/** How a run of the program ended. */
export type End = "killed" | "failed" | "done";

/** A command that can be interrupted anywhere. */
export interface Scene {
  name: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Fills an empty folder with the initial files. */
  prepare: (folder: string) => void;
  /** Throws unless the folder is in a state that such an end may leave. */
  check: (folder: string, end: End) => void;
}

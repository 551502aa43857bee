/** How a run of the program ended. */
export type End = "killed" | "failed" | "done";

/** Something the program does, that can be cut short anywhere. */
export interface Scene {
  name: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Fills an empty folder with what the program starts from. */
  prepare: (folder: string) => void;
  /** Throws if the folder is not as such an end may leave it. */
  check: (folder: string, end: End) => void;
}

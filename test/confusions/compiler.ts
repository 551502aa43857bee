import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API, type Checker, type Project, type Snapshot } from "typescript/unstable/sync";

/** What runs in a browser has types of its own. */
const CONFIGS = ["tsconfig.json", "src/features/explore/browser/tsconfig.json"];

/** Knows the types of the program, and whether a file with other text compiles. */
export class Compiler {
  readonly #changed = new Map<string, string>();
  readonly #configs: string[];
  readonly #api = new API({ cwd: process.cwd(), fs: { readFile: (path) => this.#changed.get(path) } });
  readonly #snapshot: Snapshot;

  constructor(configs: readonly string[] = CONFIGS) {
    this.#configs = configs.map((path) => resolve(path));
    this.#snapshot = this.#api.updateSnapshot({ openProjects: this.#configs });
  }

  open(file: string): { source: SourceFile; checker: Checker } {
    const { program, checker } = this.#projectOf(this.#snapshot, file);
    const source = program.getSourceFile(resolve(file));
    if (source === undefined) throw new Error(`No project of TypeScript has ${file}`);
    return { source, checker };
  }

  /** Checks the file alone: what it exports seldom has an inferred type. */
  compiles(file: string, text: string): boolean {
    const path = resolve(file);
    this.#changed.set(path, text);
    using changed = this.#api.updateSnapshot({ fileChanges: { changed: [path] } });
    const { program } = this.#projectOf(changed, file);
    const isGood =
      program.getSyntacticDiagnostics(path).length === 0 && program.getSemanticDiagnostics(path).length === 0;
    this.#changed.delete(path);
    this.#api.updateSnapshot({ fileChanges: { changed: [path] } }).dispose();
    return isGood;
  }

  /** Whether the project has the file, which it must compile without a change. */
  has(file: string): boolean {
    return this.#snapshot
      .getProjects()
      .some(({ program }) => program.getSourceFile(resolve(file)) !== undefined);
  }

  #projectOf(snapshot: Snapshot, file: string): Project {
    const path = resolve(file);
    const project = this.#configs
      .map((config) => snapshot.getProject(config))
      .find((each) => each?.program.getSourceFile(path) !== undefined);
    if (project === undefined) throw new Error(`No project of TypeScript has ${file}`);
    return project;
  }

  [Symbol.dispose](): void {
    this.#api.close();
  }
}

export const readSource = (file: string) => readFileSync(file, "utf8");

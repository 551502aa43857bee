/** The reason why a line of a file is left out. */
export class Unreadable extends Error {
  /** A word that the file's user may explain for all lines at once. */
  readonly word: string | undefined;

  constructor(reason: string, word?: string) {
    super(reason);
    this.word = word;
  }
}

const MAX_QUOTED = 40;

/** Quotes a cell in short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text);
}

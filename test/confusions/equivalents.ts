/** A swap that changes nothing that anyone could see; known by its text, since lines move. */
interface Equivalent {
  file: string;
  /** The line where it begins, trimmed. */
  on: string;
  from: string;
  to: string;
  reason: string;
}

/** At most one of twenty drawn may be one of these. Read by somebody who did not write the code. */
export const EQUIVALENTS: readonly Equivalent[] = [];

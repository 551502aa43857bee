/** A change that no test can notice, since nothing it decides differs. */
export interface Equivalent {
  /** The line that it begins in. */
  on: string;
  from: string;
  to: string;
  because: string;
}

export const EQUIVALENT: Readonly<Record<string, readonly Equivalent[]>> = {};

export interface SourceCan {
  lists: boolean;
  /** Whether it has utm values as served. */
  raw: boolean;
  clickIds: boolean;
}

export interface OutputCan {
  manyFiles: boolean;
  /** Whether the warehouse records what was exported. */
  remembers: boolean;
  mergesAccounts?: boolean;
}

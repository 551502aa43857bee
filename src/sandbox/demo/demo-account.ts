import type { Sandbox } from "../server.ts";

/** A warehouse that was synced from a sandbox. */
export interface DemoAccount {
  database: string;
  /** IANA zone of its days. */
  timezone: string;
  sandbox: Pick<Sandbox, "jobs">;
}

import { hashCall, isSameRecording } from "../../calls/call.ts";
import type { Call } from "../../calls/columns.ts";
import { isWithoutLink, type Keeping, type WithheldContent } from "./call-guard.ts";

/** What a decision depends on of a stored call. */
export type StoredHead = WithheldContent & {
  call_id: number;
  first_run_id: number;
  changed_run_id: number;
  recording_url: string | null;
};

/** The row of a call as it may be stored. */
type Row = Call & StoredHead;

/** What to do with a call that was served. */
export type Decision =
  /** Nothing but the recording's link may have changed; `link` is present if it has. */
  | { kind: "keep"; link?: LinkChange | undefined }
  /** The stored row stays; a part of the call that the row leaves out has changed. */
  | { kind: "refresh"; link?: LinkChange | undefined; row: Row; servedHash: string | null }
  /** `isSame` if only data returns that may be kept again, which is no change at the service. */
  | { kind: "write"; row: Row; isSame: boolean };

type LinkChange = Pick<Call, "recording_url">;

export interface DecisionRules {
  keeping: Keeping;
  /** More query members that sign a recording link. */
  signature: ReadonlySet<string>;
  runId: number;
}

export function decide(
  served: Call,
  stored: StoredHead | undefined,
  { keeping, signature, runId }: DecisionRules,
): Decision {
  const hash = hashCall(served);
  const kinds = keeping.kindsPast(served.call_started, stored?.first_run_id);
  const stripped = () => keeping.forgotten?.strip(served) ?? served;
  /** A hash of the whole row would reveal the omitted number to anybody who tries all numbers. */
  const hashOf = (call: Call) => (call === served ? hash : null);
  const toRow = (call: Call, runs: Pick<StoredHead, "first_run_id" | "changed_run_id">): Row => {
    const served_hash = hashOf(call);
    const whole = { ...call, withheld: null, caller_digest: null, served_hash, ...runs };
    return keeping.toStored(whole, kinds, served_hash ?? undefined).call;
  };
  if (stored === undefined) {
    const row = toRow(stripped(), { first_run_id: runId, changed_run_id: runId });
    return { kind: "write", row, isSame: false };
  }

  const isLinkKept = !isWithoutLink(stored.withheld) && !kinds.includes("recording_urls");
  const mayKeepMore = keeping.mayKeepMore(stored.withheld, kinds);
  // Stored text names no forgotten caller, but text that was withheld until now may, and so may the query of a new link.
  const mayName =
    mayKeepMore || (isLinkKept && keeping.namesForgotten(served.recording_url, stored.recording_url));
  const isServedAgain = !mayName && keeping.isServedAs(hash, stored);
  const call = isServedAgain ? served : stripped();
  // The hashes leave out the query of the recording link.
  const isSame =
    (isServedAgain || keeping.isSame(call, stored, kinds)) &&
    (!isLinkKept || isSameRecording(stored.recording_url, call.recording_url, signature));
  const { first_run_id } = stored;
  if (!isSame || mayKeepMore) {
    const changed_run_id = isSame ? stored.changed_run_id : runId;
    return { kind: "write", row: toRow(call, { first_run_id, changed_run_id }), isSame };
  }
  const { recording_url } = call;
  const isOtherLink = isLinkKept && stored.recording_url !== (recording_url?.toWellFormed() ?? null);
  const link = isOtherLink ? { recording_url } : undefined;
  if (isServedAgain) return { kind: "keep", link };
  const servedHash = hashOf(call);
  return {
    kind: "refresh",
    link,
    row: toRow(call, stored),
    servedHash: servedHash && keeping.toStoredHash(servedHash, stored.withheld),
  };
}

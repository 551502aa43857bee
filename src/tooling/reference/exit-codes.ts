import { EXIT } from "../../base/errors.ts";
import { namesOf } from "../../base/records.ts";

interface ExitMeaning {
  meaning: string;
  advice: string;
}

const MEANINGS: Record<Exclude<keyof typeof EXIT, "sigterm">, ExitMeaning> = {
  done: { meaning: "done", advice: "" },
  failed: {
    meaning: "failed in another way",
    advice: "report it to the maintainers, with the message and `calltally --version`",
  },
  usage: { meaning: "usage or configuration; nothing was started", advice: "correct what the message names" },
  unverified: {
    meaning:
      "done, but the pass is unverified, rows were rejected, or more calls went missing at once than the threshold; figures of a copy in doubt: `export`, `report`, `run`, `query`; `spend import` left rows out; `reconcile`: the list and the copy do not agree; `--max-rows` or `--timeout` cut a query short; `status`: something fails, or the copy is older than `--max-age`; a report whose last good sync is older than its `fresh`; `doctor`: figures may be incomplete; `publish`: the cluster still has other rows; `publish` and named reports: another account has the same calls, and nothing is sent",
    advice: "`calltally status` shows which; the next full pass fixes most",
  },
  refused: {
    meaning: "the API refused the token (401) or access (403), or a cluster its user",
    advice: "use a valid token or password, with permission for what is read; nothing is retried before that",
  },
  unreachable: {
    meaning: "the API, a server of the cluster, or for `doctor` the mail server, is unreachable or failing",
    advice: "wait: the next run resumes where this one stopped",
  },
  locked: {
    meaning:
      "another sync of the same warehouse is running, or another publication, or the same report is being made; a sync was in the way of a migration or of other rules; another export wrote conversions before this one with `--new`, or took over its folder; `restore`, `forget` or `prune` found the warehouse open",
    advice: "wait for it to end, and run this again",
  },
  storage: {
    meaning:
      "the warehouse or the disk: missing, foreign, newer, damaged, full, not writable; too many open files",
    advice: "`calltally doctor` shows what; `calltally restore` restores a backup",
  },
  contract: {
    meaning:
      "the API returned 400 or 404, or a response that is not API v3; a server of the cluster refuses a statement, or is not ClickHouse",
    advice: "check the address, and what the message quotes",
  },
  undelivered: {
    meaning:
      "no sync has finished yet, so no figures were written; or the report was not delivered to everybody, or the outcome is unknown; or it must not be delivered: the last sync did not prove what the report requires",
    advice:
      "`calltally status` shows the reason and the recipients; `calltally run <report> --deliver` makes a new report run and sends it to all of them",
  },
  sigint: {
    meaning: "stopped by SIGINT (130) or SIGTERM (143); the pages read so far are kept",
    advice: "run it again: it resumes",
  },
};

/** What each exit code means to the operator. */
export const EXIT_CODES: readonly (ExitMeaning & { codes: readonly number[] })[] = namesOf(MEANINGS).map(
  (name) => ({
    codes: name === "sigint" ? [EXIT.sigint, EXIT.sigterm] : [EXIT[name]],
    ...MEANINGS[name],
  }),
);

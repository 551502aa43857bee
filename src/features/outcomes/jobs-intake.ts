import { UsageError } from "../../base/errors.ts";
import { namesOf } from "../../base/records.ts";
import type { Stage } from "../../calls/filter.ts";
import type { Cells } from "../../intake/cells.ts";
import type { Form, FoundColumns, ReadOptions } from "../../intake/columns.ts";
import type { Intake } from "../../intake/intake.ts";
import type { TimeText } from "../../intake/moment-text.ts";
import { quote, Unreadable } from "../../intake/unreadable.ts";
import { readStage, type StageWords } from "./stage-words.ts";

/** The columns of a list of jobs, with what they hold. */
export const JOB_COLUMNS = {
  call_id: "id",
  phone: "text",
  date: "moment",
  stage: "text",
  amount: "amount",
  currency: "currency",
  job_id: "id",
} as const;
export type JobField = keyof typeof JOB_COLUMNS;
export const JOB_FIELDS: readonly JobField[] = namesOf(JOB_COLUMNS);

/** The headers by which a column is recognized, in any case, as products and people write them. */
const FORM: Form<JobField> = {
  name: "a list of jobs",
  headers: {
    call_id: ["call_id", "call id", "callid"],
    phone: [
      ...["phone", "phone number", "phone_number", "caller", "caller_id", "caller id", "caller number"],
      ...["customer phone", "customer_phone", "customer phone number", "client phone", "client phone number"],
      ...[
        "contact phone",
        "contact phone number",
        "primary phone",
        "primary phone number",
        "main phone",
        "phone 1",
      ],
      ...[
        "mobile",
        "mobile phone",
        "mobile number",
        "mobile phone number",
        "cell",
        "cell phone",
        "cell number",
      ],
      ...[
        "telephone",
        "home phone",
        "home number",
        "work phone",
        "alternate phone",
        "other phone",
        "phone 2",
      ],
    ],
    date: [
      ...["date", "day", "job date", "job_date", "booked on", "booked_at", "completed on", "completed_at"],
      ...[
        "completed date",
        "completion date",
        "job completed date",
        "date completed",
        "closed date",
        "date closed",
      ],
      ...[
        "close date",
        "closed on",
        "invoice date",
        "transaction date",
        "scheduled date",
        "scheduled start date",
      ],
      ...[
        "appointment date",
        "created",
        "created on",
        "created_at",
        "created date",
        "create date",
        "date created",
      ],
    ],
    stage: [
      ...[
        "stage",
        "status",
        "job status",
        "job_status",
        "outcome",
        "deal stage",
        "invoice status",
        "lead status",
      ],
    ],
    amount: [
      ...["amount", "revenue", "total", "job total", "job_total", "total revenue", "jobs total revenue"],
      ...["job amount", "total amount", "invoice total", "invoice amount", "deal amount", "value", "price"],
    ],
    currency: ["currency", "currency code", "deal currency"],
    job_id: [
      ...["job_id", "job id", "job", "job #", "job number", "job no", "job no.", "deal id", "invoice number"],
      ...[
        "invoice #",
        "invoice no",
        "invoice no.",
        "invoice",
        "record id",
        "record id - deal",
        "num",
        "no.",
        "id",
      ],
    ],
  },
};

export interface ImportedJob {
  /** From 1 on. */
  line: number;
  call_id: number | null;
  /** As written, in the order of columns. */
  phones: readonly string[];
  job_id: string | null;
  /** YYYY-MM-DD, as written; null for none. */
  day: string | null;
  time: TimeText | undefined;
  stage: Stage;
  /** Whether it takes from what another line of its job earned. */
  isRefund: boolean;
  amount_micros: number | null;
}

export interface ReadJobsOptions extends ReadOptions<JobField> {
  /** Stages by other words. */
  stages: StageWords;
  /** Of jobs without a stage. */
  stage?: Stage | undefined;
}

type JobCells = Cells<typeof JOB_COLUMNS>;

/** A list of jobs: what calls led to. */
export const JOBS_INTAKE: Intake<typeof JOB_COLUMNS, Form<JobField>, ReadJobsOptions, ImportedJob> = {
  what: "a list of jobs",
  columns: JOB_COLUMNS,
  several: ["phone"],
  forms: [FORM],
  amount: "amount",
  currency: "currency",
  isHeader: (has) => has("call_id") || (has("phone") && has("date")),
  hint: "--map phone=Telephone,date=Done,stage=State. A call id is needed, or a phone number and a date.",
  assertUsable: ({ indexes }: FoundColumns<JobField>, { stage }) => {
    if (indexes.has("stage") || stage !== undefined) return;
    throw new UsageError("it has no column with the stage of a job", {
      hint: "Name it, --map stage=HEADER, or pass --stage sold for jobs that all were sold.",
    });
  },
  keys: ["call_id", "phone", "date"],
  isRow: (cells) => !cells.isNothing("call_id") || cells.texts("phone").some((phone) => /\d/.test(phone)),
  isTotal: (cells) =>
    !cells.isNothing("amount") &&
    (["call_id", "date", "stage", "job_id"] as const).every((field) => cells.isNothing(field)) &&
    cells.texts("phone").length === 0,
  toRow,
};

const CALL_ID = /^-?\d{1,15}$/;

function toRow(
  cells: JobCells,
  _: FoundColumns<JobField>,
  { stages, stage: ofNone }: ReadJobsOptions,
): ImportedJob {
  const callId = cells.id("call_id", "call id");
  if (callId !== null && !CALL_ID.test(callId)) throw new Unreadable(`${quote(callId)} is not a call id`);
  const phones = cells.texts("phone");
  if (callId === null && phones.length === 0) throw new Unreadable("neither a call id nor a phone number");
  const when = cells.moment("date");
  if (when === null && callId === null) throw new Unreadable("no date");
  const amount_micros = cells.micros("amount", "the amount");
  const stage = readStage(cells.text("stage"), { words: stages, ofNone, amount: amount_micros });
  cells.currency("currency", "amount");
  return {
    line: cells.line,
    call_id: callId === null ? null : Number(callId),
    phones,
    job_id: cells.id("job_id", "job id"),
    day: when?.day ?? null,
    time: when?.time,
    ...stage,
    amount_micros,
  };
}

import { z } from "zod";
import { keysOf } from "./option-row.ts";
import type { CONTENTS } from "./option-values.ts";
import { OPTIONS } from "./options.ts";

export const REQUEST_KEYS = keysOf(OPTIONS);

const exportRequest = z.strictObject(REQUEST_KEYS);

/** What may be asked, in the names of `calltally.yaml`. Flags, the file and the library are parsed into it. */
export type ExportRequest = z.infer<typeof exportRequest>;
export type RequestedContent = (typeof CONTENTS)[number];

import { ACCOUNT } from "../../request/option-values.ts";
import type { Context } from "../context.ts";
import { declareExport } from "../export-options.ts";
import { action } from "../frame.ts";

export const command = (context: Context) =>
  declareExport().action(
    action(context, async (contents = [], flags) => {
      // Loaded here, so that other commands do not wait for the libraries of dates and formats.
      const { toRequest } = await import("../request-flags.ts");
      const request = toRequest(contents, flags);
      if (flags.by?.includes(ACCOUNT)) {
        const { exportMerged } = await import("../export-merged.ts");
        return await exportMerged(context, request, flags.by, flags);
      }
      const { exportAccounts } = await import("../export-accounts.ts");
      return await exportAccounts(context, request, flags);
    }),
  );

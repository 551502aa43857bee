import { resolve } from "../../config/request/resolve.ts";
import { folderOutput } from "../../export/output/folder.ts";
import { exitCodeOf } from "../../export/statements/statements.ts";
import { produce } from "../../reports/produce/produce.ts";
import { sourceOf } from "../../reports/produce/warehouse-source.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { logAttribution, logStatements } from "../../schedule/job-log.ts";
import { findUnmatchedDispositions } from "../../warehouse/calls/unmatched-dispositions.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { JOB, readLastSuccess } from "../../warehouse/runs/job-table.ts";

/** Writes the default rollups. */
export const exportJob: Job = {
  name: JOB.export,
  cron: (settings) => settings.exportCron,
  cronSetting: "CALLTALLY_EXPORT_CRON",
  isSync: false,
  // An export by hand may have other days.
  readLastDone: (warehouse) => readLastSuccess(warehouse, JOB.export),
  run: async ({ settings, log, signal }) => {
    const { database, timezone, exportDir: folder } = settings;
    const ask = resolve({}, { nowMs: Date.now(), timezone });
    const options = { signal, onAttributed: logAttribution(log) };
    const { manifest } = await produce(ask, sourceOf(settings), folderOutput(folder, { signal }), options);
    const files = manifest.files.map(({ file, rows }) => ({ file, rows }));
    log.info({ folder, files, verdict: manifest.run?.verdict }, "exported");
    using reader = openReader(database);
    for (const { setting, word } of findUnmatchedDispositions(reader, settings.rules)) {
      log.warn({ setting: setting.env, word }, "no call in the warehouse has this disposition");
    }
    logStatements(log, manifest.statements);
    return exitCodeOf(manifest.statements);
  },
};

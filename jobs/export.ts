import { realFile } from "../src/base/folder.ts";
import { folderOutput } from "../src/export/output/folder.ts";
import { produce } from "../src/produce/produce.ts";
import { sourceOf } from "../src/produce/warehouse-source.ts";
import { resolve } from "../src/request/resolve.ts";
import type { Job } from "../src/schedule/job-definition.ts";
import { logAttribution, logStatements } from "../src/schedule/job-log.ts";
import { exitCodeOf } from "../src/statements/statements.ts";
import { findUnmatchedDispositions } from "../src/warehouse/calls/unmatched-dispositions.ts";
import { openWarehouseReader } from "../src/warehouse/open.ts";
import { readLastExport } from "../src/warehouse/runs/exports.ts";

/** Writes the default rollups. */
export const exportJob: Job = {
  name: "export",
  cron: (settings) => settings.exportCron,
  cronSetting: "CALLTALLY_EXPORT_CRON",
  isSync: false,
  readLastDone: (warehouse, { exportDir }) => readLastExport(warehouse, realFile(exportDir)),
  run: async ({ settings, log, signal }) => {
    const { database, timezone, exportDir: folder } = settings;
    const ask = resolve({}, { nowMs: Date.now(), timezone });
    const options = { signal, onAttributed: logAttribution(log) };
    const { manifest } = await produce(ask, sourceOf(settings), folderOutput(folder, { signal }), options);
    const files = manifest.files.map(({ file, rows }) => ({ file, rows }));
    log.info({ folder, files, verdict: manifest.run?.verdict }, "exported");
    using reader = openWarehouseReader(database);
    for (const { setting, word } of findUnmatchedDispositions(reader, settings.rules)) {
      log.warn({ setting, word }, "no call in the warehouse has this disposition");
    }
    logStatements(log, manifest.statements);
    return exitCodeOf(manifest.statements);
  },
};

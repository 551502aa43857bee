/** Makes the program print at its end its peak memory, in kB. (`maxRSS` would start with that of the parent process.) */
const SAY_PEAK = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('peak=' + /VmHWM:\\s+(\\d+)/.exec(process.getBuiltinModule('node:fs').readFileSync('/proc/self/status','utf8'))[1]))",
)}`;

export const NODE_SAYS_PEAK = { NODE_OPTIONS: `--import=${SAY_PEAK}` };

/** Returns the peak of the resident memory of a process with {@link NODE_SAYS_PEAK} in its environment. */
export function peakMbOf(stderr: string): number {
  return Number(/peak=(\d+)/.exec(stderr)?.[1]) / 1000;
}

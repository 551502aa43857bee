/** Sums the times of some work in this process. */
export class Stopwatch {
  #ms = 0;
  #cpuMicroseconds = 0;

  async time<T>(work: () => T | Promise<T>): Promise<T> {
    const [begunMs, begunCpu] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(begunCpu);
    this.#ms += performance.now() - begunMs;
    this.#cpuMicroseconds += user + system;
    return result;
  }

  /** Prints the sums for the benchmark that has started this process. */
  print(): void {
    process.stdout.write(
      JSON.stringify({ seconds: this.#ms / 1000, cpuSeconds: this.#cpuMicroseconds / 1e6 }),
    );
  }
}

import type { LifeEnd, Planned } from "./types.ts";

const MOST_LIVES = 60;

type Live = (planned: readonly Planned[]) => Promise<LifeEnd>;

/** Returns the fewest events found that still break the same invariant, by leaving out smaller and smaller parts (ddmin). */
export async function shrink(planned: readonly Planned[], live: Live): Promise<readonly Planned[]> {
  const { failure } = await live(planned);
  let kept = planned.filter(({ atMs }) => atMs <= (failure?.uptimeMs ?? 0));
  let lives = 1;
  const stillFails = async (events: readonly Planned[]) => {
    lives++;
    return (await live(events)).failure?.invariant === failure?.invariant;
  };
  for (let parts = 2; kept.length > 0 && lives < MOST_LIVES; ) {
    const size = Math.ceil(kept.length / parts);
    let isSmaller = false;
    for (let at = 0; at < kept.length && lives < MOST_LIVES; at += size) {
      const fewer = kept.toSpliced(at, size);
      if (!(await stillFails(fewer))) continue;
      [kept, isSmaller] = [fewer, true];
      at -= size;
    }
    if (size === 1 && !isSmaller) break;
    parts = isSmaller ? Math.max(2, parts - 1) : Math.min(kept.length, parts * 2);
  }
  return kept;
}

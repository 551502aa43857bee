import type { Restatement } from "./restatement.ts";

interface Group {
  /** Ids of calls, and reasons that name no call, or not all. */
  causes: Set<number | string>;
  figures: Restatement[];
}

/** Groups restatements by the calls behind them: figures that a call changed are in one group, if they were found together. */
export function groupByCalls(restatements: readonly Restatement[]): (readonly Restatement[])[] {
  const times = Map.groupBy(restatements, ({ found_at }) => found_at);
  return [...times.values()].flatMap((ofTime) => groupsOf(ofTime).map(({ figures }) => figures));
}

function groupsOf(restatements: readonly Restatement[]): Group[] {
  let groups: Group[] = [];
  for (const restatement of restatements) {
    const causes = causesOf(restatement);
    const isOf = (group: Group) => causes.some((cause) => group.causes.has(cause));
    const [first, ...others] = groups.filter(isOf);
    if (first === undefined) {
      groups.push({ causes: new Set(causes), figures: [restatement] });
      continue;
    }
    for (const cause of [...causes, ...others.flatMap((group) => [...group.causes])]) first.causes.add(cause);
    first.figures.push(...others.flatMap(({ figures }) => figures), restatement);
    if (others.length > 0) groups = groups.filter((group) => !others.includes(group));
  }
  return groups;
}

function causesOf({ reasons }: Restatement): (number | string)[] {
  return reasons.flatMap(({ reason, calls, listed = [] }) => [
    ...listed.map(({ call_id }) => call_id),
    ...(calls === listed.length ? [] : [reason]),
  ]);
}

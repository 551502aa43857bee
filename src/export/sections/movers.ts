import { isWithinChance, WITHIN_CHANCE } from "../../base/chance.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { FactValue } from "../../figures/dictionary.ts";
import { type Dimension, keyColumns } from "../../figures/dimensions.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";

const MOVERS_SHOWN = 5;

export interface Mover {
  dimension: Dimension;
  figures: Figures;
  /** Its values of the dimension's key columns. */
  key: readonly FactValue[];
  /** With the id if the name is missing or ambiguous; null for calls without a value. */
  name: string | null;
  /** Calls more (or, below 0, fewer) than in the previous span. */
  change: number;
}

/** How many keys were compared, and which moved most. */
export interface Moved {
  compared: number;
  up: readonly Mover[];
  down: readonly Mover[];
}

/** Finds the largest changes that chance does not explain, though so many keys are compared. */
export class Movers {
  readonly #changed: Omit<Mover, "name">[] = [];
  /** How many keys have a name. */
  readonly #named = new Map<string, number>();
  #compared = 0;

  note(dimension: Dimension, figures: Figures): void {
    this.#compared++;
    const name = `${dimension}\n${figures[dimension]}`;
    this.#named.set(name, (this.#named.get(name) ?? 0) + 1);
    const change = Number(figures.calls) - Number(figures.calls_previous);
    if (change === 0) return;
    const key = keyColumns([dimension]).map((column) => figures[column.name] ?? null);
    this.#changed.push({ dimension, figures, key, change });
  }

  /** Returns the keys that moved most; nothing if the copy lacks the days before. */
  find({ times, isCovered, isUnreached }: ComparedDays): Moved {
    if (!isCovered || isUnreached) return { compared: 0, up: [], down: [] };
    const compared = this.#compared;
    const level = WITHIN_CHANCE / Math.max(1, compared);
    const moved = this.#changed
      .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change))
      .filter(
        ({ figures }) => !isWithinChance(Number(figures.calls), Number(figures.calls_previous), times, level),
      );
    const of = (sign: number) =>
      moved
        .filter(({ change }) => change * sign > 0)
        .slice(0, MOVERS_SHOWN)
        .map((mover) => ({ ...mover, name: this.#nameOf(mover) }));
    return { compared, up: of(1), down: of(-1) };
  }

  #nameOf({ dimension, figures }: Omit<Mover, "name">): string | null {
    const [name, id] = [String(figures[dimension]), figures.campaign_id ?? null];
    if (id === null) return name === NOT_SET ? null : name;
    if (name === NOT_SET) return `[${id}]`;
    return this.#named.get(`${dimension}\n${name}`) === 1 ? name : `${name} [${id}]`;
  }
}

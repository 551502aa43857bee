import { expect, it } from "vitest";
import { askRollup } from "../../src/library/ask-rollup.ts";
import { sourceOf } from "../../src/reports/produce/warehouse-source.ts";
import { ACCOUNTS } from "../support/scene/accounts.ts";
import { openScene } from "../support/scene/build.ts";
import { factsOf, VISITS } from "../support/scene/visits.ts";
import { readRows } from "../support/warehouses/warehouse.ts";

it.each(ACCOUNTS)(
  "each visit of $name has the source, medium, campaign and channel of the documentation",
  async ({ name, calls }) => {
    const scene = openScene();
    const settings = scene.settingsOf(name);
    await askRollup(sourceOf(settings), { request: { by: ["channel"] }, timezone: settings.timezone });
    const rows = readRows(scene.databaseOf(name), "SELECT * FROM attributed_calls");
    const stored = new Map(
      rows.map(({ call_id, source, medium, campaign, channel }) => [
        call_id,
        { source, medium, campaign, channel },
      ]),
    );
    const seen = new Set<number>();
    for (const call of calls) {
      const place = VISITS.findIndex(({ members }) =>
        Object.entries({ utm_source: null, referring_url: null, campaign_id: null, ...members }).every(
          ([member, value]) => new Map(Object.entries(call)).get(member) === value,
        ),
      );
      const visit = VISITS[place];
      if (visit === undefined) throw new Error(`No visit is that of call ${call.call_id}`);
      const facts = factsOf(visit, name);
      if (!stored.has(call.call_id)) continue; // it is gone
      seen.add(place);
      expect({ call: call.call_id, ...stored.get(call.call_id) }).toEqual({ call: call.call_id, ...facts });
    }
    expect(seen.size).toBe(VISITS.length);
  },
);

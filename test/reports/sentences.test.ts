import { describe, expect, it } from "vitest";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { readSurfaces } from "../support/figures/surfaces.ts";
import { readHeadline, readTables } from "../support/page.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { storeSpend } from "../support/warehouses/spend.ts";

const HOSTILE = `<b>אתר</b>\u202e${"x".repeat(200)}`;
/** As it is shown. */
const SHOWN = `<b>אתר</b>\\u202e${"x".repeat(33)}… #06324ead`;

/** Calls of August and September, of campaigns, after one of a campaign in January. */
function makeCalls(campaigns: Record<string, [august: number, september: number]>) {
  const all = Object.entries(campaigns).flatMap(([campaign_name, counts]) =>
    counts.flatMap((count, month) =>
      Array.from({ length: count }, (_, at) => ({
        campaign_name,
        call_started: `2026-0${8 + month}-1${at % 10}T1${at % 9}:00:00.000Z`,
        disposition: at % 4 < 1 + month ? "NO ANSWER" : "ANSWERED",
        duration: 5,
      })),
    ),
  );
  const first = { campaign_name: "Boilers", call_started: "2026-01-01T12:00:00.000Z" };
  return [first, ...all].map((members, index) => makeCall({ call_id: index + 1, ...members }));
}

const CALLS = makeCalls({ [HOSTILE]: [160, 60], steady: [200, 202], small: [6, 5] });

const inPage = (page: string) =>
  [...(/<ul class="sentences">(.*?)<\/ul>/.exec(page)?.[1]?.matchAll(/<li>(.*?)<\/li>/g) ?? [])].map(
    ([, text = ""]) => text,
  );
const inMail = (mail: string) =>
  (mail.split("\n\n")[1] ?? "").split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));

describe("the first sentences", () => {
  it("page and mail have the same sentences, of figures that the page shows", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { page, mail } = await readSurfaces(warehouse, "channel");
    const sentences = [
      "267 calls came in, 99 fewer than the month before.",
      "135 of 267 calls were missed (50.6%), 43 more than the month before (25.1%).",
      `Calls of campaign ${SHOWN} fell from 160 to 60.`,
    ];
    expect(inMail(mail)).toEqual(sentences);
    const escaped = `<bdi>${SHOWN.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</bdi>`;
    // By days, September is compared with as many days of August, which has no call on the 31st here.
    const inDays = (text: string) =>
      text.replace("the month before", "the days from 1 Aug 2026 to 30 Aug 2026");
    expect(inPage(page)).toEqual(sentences.map((text) => inDays(text).replace(SHOWN, escaped)));
    const tiles = readHeadline(page);
    expect(tiles.get("Calls")).toEqual([267, expect.any(Number), 366]);
    expect(tiles.get("Missed calls")).toEqual([135, expect.any(Number), 92]);
    const moved = readTables(page).find(({ head }) => head[0] === "What");
    expect(moved?.rows.map((row) => row.slice(1).map(({ value }) => value))).toContainEqual([-100, 60, 160]);
  });

  it("name no campaign in a share-safe mail", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { mail } = await readSurfaces(warehouse, "channel", { minCell: 10 });
    expect(inMail(mail)).toEqual([
      "267 calls came in, 99 fewer than the month before.",
      "135 of 267 calls were missed (50.6%), 43 more than the month before (25.1%).",
    ]);
  });

  it("name spend that brought no call, of a campaign that once had one", async () => {
    using warehouse = makeWarehouse(makeCalls({ steady: [100, 100] }));
    {
      using writer = openExistingWarehouse(warehouse.database);
      const costs = { steady: 1000, Boilers: 412, Teaser: 200 };
      const rows = Object.entries(costs).map(([campaign, cost]) => ({
        ...{ source: "google", medium: "cpc", campaign },
        ...{ day: "2026-09-10", cost_micros: cost * 1e6 },
      }));
      storeSpend(writer, rows, { importedAt: "2026-09-30T12:00:00.000Z" });
    }
    const { page, mail } = await readSurfaces(warehouse, "channel", { spend: true });
    const text =
      "Campaign Boilers cost 412.00 EUR and brought no call; 1 more campaign spent without a call.";
    expect(inMail(mail)).toContain(text);
    expect(inPage(page)).toContain(text.replace("Boilers", "<bdi>Boilers</bdi>"));
  });
});

import { INSIGHT_SEEDS } from "../insight/insight-seeds.ts";
import { deriveSeed, drawIndex, pick, seededRandom } from "../random.ts";

const LINE_TYPES = ["mobile", "landline", "voip"] as const;
const KEYS = ["1", "2", "3", "9", "0", "#"] as const;
const MOST_KEYPRESSES = 3;

/** What a webhook may ask to be added to an event (API v3 § 6). Their shapes are not shown: these are the sandbox's own. */
interface PayloadAdditions {
  readonly data_append: { readonly line_type: string; readonly is_repeat_caller: boolean };
  readonly indicator_scores: readonly { readonly insight_id: number; readonly score: "pass" | "fail" }[];
  readonly ivr_keypresses: readonly { readonly key: string; readonly seconds: number }[];
}

/** Makes up the additions for a call, the same for its id each time; none of them is empty. An edit may have made the id any JSON. */
export function makeUpAdditions(callId: unknown): PayloadAdditions {
  const random = seededRandom(deriveSeed(0, `additions of ${JSON.stringify(callId)}`));
  let seconds = 0;
  return {
    data_append: { line_type: pick(random, LINE_TYPES), is_repeat_caller: random() < 0.4 },
    indicator_scores: INSIGHT_SEEDS.map(({ insight_id }) => ({
      insight_id,
      score: random() < 0.6 ? "pass" : "fail",
    })),
    ivr_keypresses: Array.from({ length: 1 + drawIndex(random, MOST_KEYPRESSES) }, () => {
      seconds += 1 + drawIndex(random, 6);
      return { key: pick(random, KEYS), seconds };
    }),
  };
}

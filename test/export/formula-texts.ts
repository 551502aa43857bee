import { makeCall } from "../support/warehouses/calls.ts";
import { closedWarehouse } from "../support/warehouses/warehouse.ts";

/** The last has a quote of its own, like a guard. */
export const TEXTS = ["+austin", "=1+1", "'+plumber"];

export const makeTexts = () =>
  closedWarehouse(
    TEXTS.map((utm_term, index) =>
      makeCall({
        call_id: index + 1,
        utm_term,
        campaign_name: utm_term,
        call_started: `2026-09-0${index + 1}T10:00:00.000Z`,
      }),
    ),
    { at: "2026-10-05T06:00:00.000Z" },
  );

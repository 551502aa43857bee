import { ATTRIBUTION, ATTRIBUTION_REFUSED } from "./attribution-rows.ts";
import { answers } from "./expectations.ts";
import { INSIGHT } from "./insight-rows.ts";
import type { Request, Row } from "./row.ts";
import { PATCH_OK, PATCH_REFUSED, PATCH_UNKNOWN, PUT_OK, PUT_REFUSED, PUT_UNKNOWN } from "./webhook-rows.ts";

interface Operation {
  readonly name: string;
  readonly ok: Request;
  readonly invalid: Request;
  /** @default [400] */
  readonly invalidStatuses?: readonly number[];
  readonly unknown?: Request;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: "insight details",
    ok: INSIGHT,
    invalid: { method: "GET", path: "/v3/insights/not-a-number" },
    // The format of an id is not documented: this may also be an unknown one.
    invalidStatuses: [400, 404],
    unknown: { method: "GET", path: "/v3/insights/999999999" },
  },
  { name: "attribution", ok: ATTRIBUTION, invalid: ATTRIBUTION_REFUSED },
  { name: "update webhook", ok: PUT_OK, invalid: PUT_REFUSED, unknown: PUT_UNKNOWN },
  { name: "partial update webhook", ok: PATCH_OK, invalid: PATCH_REFUSED, unknown: PATCH_UNKNOWN },
];

/** § 7, and with it §§ 4 (error statuses) and 5. */
export const STATUS_ROWS: readonly Row[] = OPERATIONS.flatMap(rowsOf);

function rowsOf({ name, ok, invalid, invalidStatuses = [400], unknown }: Operation): Row[] {
  const row = (title: string, request: Request, ...statuses: readonly number[]): Row => ({
    section: `7 ${title}: ${name}`,
    request,
    expect: answers(...statuses),
  });
  return [
    row("200", ok, 200),
    row("400", invalid, ...invalidStatuses),
    row("401 without a token", { ...ok, token: "none" }, 401),
    row("401 with a wrong token", { ...ok, token: "wrong" }, 401),
    ...(unknown ? [row("404", unknown, 404)] : []),
    { ...row("500", ok, 500), needsFailure: true },
  ];
}

import { describe, expect, it } from "vitest";
import { toContents } from "../../../src/config/request/contents.ts";
import type { ExportRequest } from "../../../src/config/request/export-request.ts";
import { EXPLORE_DIMENSIONS } from "../../../src/config/request/option-values.ts";

const namesOf = (request: ExportRequest, clickIds = true) =>
  toContents(request, { clickIds }).map((content) =>
    "dimensions" in content ? `${content.kind} ${content.dimensions.join("+")}` : content.kind,
  );

describe("toContents", () => {
  it.each<[string, ExportRequest, boolean, string[]]>([
    ["all by default", {}, true, ["rollup utm_source", "rollup campaign", "rollup gclid"]],
    ["no click ids that the source does not have", {}, false, ["rollup utm_source", "rollup campaign"]],
    ["no click ids if share-safe", { min_cell: 5 }, true, ["rollup utm_source", "rollup campaign"]],
    ["none but the combined one", { by: ["channel", "hour"] }, true, ["rollup channel+hour"]],
    [
      "named ones once, and a combined one",
      { contents: ["gclid", "calls", "gclid", "hygiene"], by: ["channel", "hour"] },
      false,
      ["rollup gclid", "calls", "hygiene", "rollup channel+hour"],
    ],
    [
      "one that is named twice once",
      { contents: ["source", "medium"], by: ["medium"] },
      true,
      ["rollup source", "rollup medium"],
    ],
    [
      "two if only the first of a combined one is named",
      { contents: ["medium"], by: ["medium", "source"] },
      true,
      ["rollup medium", "rollup medium+source"],
    ],
    ["the page alone", { format: "html", contents: ["calls"] }, true, ["page"]],
    ["the page to explore", { format: "explore" }, true, [`explore ${EXPLORE_DIMENSIONS.join("+")}`]],
    [
      "channels in a share-safe page to explore",
      { format: "explore", min_cell: 5 },
      true,
      ["explore channel"],
    ],
    ["chosen keys in it", { format: "explore", min_cell: 5, by: ["source"] }, true, ["explore source"]],
  ])("lists rollups: %s", (_, request, clickIds, contents) => {
    expect(namesOf(request, clickIds)).toEqual(contents);
  });
});

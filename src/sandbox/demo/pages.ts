import { PAGE_FILE, PAGE_FOLDER } from "../../config/request/option-values.ts";
import { EXPLORE_PAGE } from "./demo-explore.ts";
import type { DemoPage } from "./demo-page.ts";

/** Pages to open after the demo, the first choice first. */
export const PAGES: readonly DemoPage[] = [
  EXPLORE_PAGE,
  { format: "html", folder: PAGE_FOLDER, file: PAGE_FILE, use: "for charts of four weeks" },
];

import { EXPLORE_FILE, EXPLORE_FOLDER } from "../../config/request/option-values.ts";
import type { DemoPage } from "./demo-page.ts";

export const EXPLORE_PAGE: DemoPage = {
  format: "explore",
  folder: EXPLORE_FOLDER,
  file: EXPLORE_FILE,
  use: "in a browser to explore these calls",
};

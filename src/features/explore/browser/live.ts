import { type ComponentChildren, h } from "preact";
import type { Content } from "../../../export/sections/element.ts";

/** Turns a section into elements of a live page. */
export function live(content: Content): ComponentChildren {
  if (typeof content !== "object" || content === null) return content;
  if ("svg" in content) throw new Error("Charts of a live page draw themselves");
  if (!("name" in content)) return content.map(live);
  return h(content.name, { ...content.attributes }, ...content.content.map(live));
}

import { isDeepStrictEqual } from "node:util";
import { isObject, parseJson, stringifyJson } from "../../base/text/parse-json.ts";
import { type ClickMembers, findAdClick } from "../attribution/ad-click.ts";

/** A number or a sentence in place of an id is not kept. */
const ID = /^(?=.*[a-z])[\w-]+$/i;

/**
 * Returns what is left of a call with the click id that was removed from it, as a member of `extra`: figures and uploads
 * do not change, and the id names nobody.
 */
export function keepClick<C extends ClickMembers>(call: ClickMembers, left: C): C {
  const click = findAdClick(call);
  if (click === null || !ID.test(click.id) || isDeepStrictEqual(findAdClick(left), click)) return left;
  const { by, id, gclsrc } = click;
  const extra = left.extra === null ? {} : parseJson(left.extra);
  const members = { ...(isObject(extra) ? extra : {}), [by]: id, ...(gclsrc !== null && { gclsrc }) };
  return { ...left, extra: stringifyJson(members) };
}

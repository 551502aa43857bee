import type { Settings } from "../../config/load-settings.ts";
import { type Logo, readLogo } from "./logo.ts";

/** Whose figures a page, sheet or mail shows, and how it writes them. */
export interface Letterhead {
  /** Undefined for the only account, if it has no title. */
  name: string | undefined;
  logo: Logo | undefined;
  /** A BCP 47 tag. */
  locale: string | undefined;
}

/** Begins a title with the name: Northwind Dental: Calls, 1 Oct 2026 to 31 Oct 2026 */
export function titleOf({ name }: Letterhead, title: string): string {
  return name === undefined ? title : `${name}: ${title}`;
}

export const PLAIN: Letterhead = { name: undefined, logo: undefined, locale: undefined };

/**
 * @param account its name in calltally.yaml
 * @throws UsageError for a logo that cannot be used
 */
export function readLetterhead(
  { title, logo, locale }: Pick<Settings, "title" | "logo" | "locale">,
  account: string | null | undefined,
): Letterhead {
  return {
    name: title ?? account ?? undefined,
    logo: logo === undefined ? undefined : readLogo(logo),
    locale,
  };
}

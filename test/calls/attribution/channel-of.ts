import { SITES } from "../../../src/calls/attribution/channel-sites.ts";

/** The rules in the form of GA4's help: as regular expressions. */
export function channelOf(source: string, medium: string, campaign: string): string {
  const isOn = (sites: readonly string[]) =>
    sites.includes(source) || (source.startsWith("www.") && sites.includes(source.slice(4)));
  const isPaid = /^(.*cp.*|ppc|retargeting|paid.*)$/s.test(medium);
  const isShopping = isOn(SITES.shopping) || /^(.*(([^a-df-z]|^)shop|shopping).*)$/s.test(campaign);
  const rules: [boolean, string][] = [
    [source === "(direct)" && ["", "(none)", "(not set)"].includes(medium), "Direct"],
    [campaign.includes("cross-network"), "Cross-network"],
    [isShopping && isPaid, "Paid Shopping"],
    [isOn(SITES.search) && isPaid, "Paid Search"],
    [isOn(SITES.social) && isPaid, "Paid Social"],
    [isOn(SITES.video) && isPaid, "Paid Video"],
    [/^(display|banner|expandable|interstitial|cpm)$/.test(medium), "Display"],
    [isPaid, "Paid Other"],
    [medium === "ai-assistant", "AI Assistant"],
    [isShopping, "Organic Shopping"],
    [
      isOn(SITES.social) ||
        /^(social|social-network|social-media|sm|social network|social media)$/.test(medium),
      "Organic Social",
    ],
    [isOn(SITES.video) || /^(.*video.*)$/s.test(medium), "Organic Video"],
    [isOn(SITES.search) || medium === "organic", "Organic Search"],
    [/^(referral|app|link)$/.test(medium), "Referral"],
    [/^(email|e-mail|e_mail|e mail)$/.test(source) || /^(email|e-mail|e_mail|e mail)$/.test(medium), "Email"],
    [medium === "affiliate", "Affiliates"],
    [medium === "audio", "Audio"],
    [source === "sms" || medium === "sms", "SMS"],
    [/push$|mobile|notification/s.test(medium) || source === "firebase", "Mobile Push Notifications"],
  ];
  return rules.find(([holds]) => holds)?.[1] ?? "Unassigned";
}

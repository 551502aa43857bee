/**
 * Names that the IANA list (2025b, `tzdata.zi`) has beside those that `Intl.supportedValuesOf` lists: links, and the zones that
 * ICU lists under an older name; by area.
 */
const LINKS: Readonly<Record<string, string>> = {
  Africa: "Asmara Asmera Timbuktu",
  America:
    "Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy Argentina/Mendoza Atikokan Atka Buenos_Aires Catamarca Coral_Harbour Cordoba Ensenada Fort_Wayne Godthab Indiana/Indianapolis Indianapolis Jujuy Kentucky/Louisville Knox_IN Kralendijk Louisville Lower_Princes Marigot Mendoza Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock St_Barthelemy Thunder_Bay Virgin Yellowknife",
  Antarctica: "South_Pole",
  Arctic: "Longyearbyen",
  Asia: "Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Katmandu Kolkata Macao Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon",
  Atlantic: "Faeroe Faroe Jan_Mayen",
  Australia: "ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna",
  Brazil: "Acre DeNoronha East West",
  "": "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu",
  Canada: "Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon",
  Chile: "Continental EasterIsland",
  Etc: "GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT-0 GMT-1 GMT-10 GMT-11 GMT-12 GMT-13 GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT0 Greenwich UCT UTC Universal Zulu",
  Europe:
    "Belfast Bratislava Busingen Kiev Kyiv Mariehamn Nicosia Podgorica San_Marino Tiraspol Uzhgorod Vatican Zaporozhye",
  Mexico: "BajaNorte BajaSur General",
  Pacific: "Chuuk Enderbury Johnston Kanton Pohnpei Ponape Samoa Truk Yap",
  US: "Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa",
};

/**
 * All names of the IANA list, in its letters. Intl takes more, which ICU alone knows (`IST`, `SystemV/PST8`) and which fail
 * elsewhere.
 */
export function listZoneNames(): string[] {
  const links = Object.entries(LINKS).flatMap(([area, names]) =>
    names.split(" ").map((name) => (area === "" ? name : `${area}/${name}`)),
  );
  return [...new Set([...Intl.supportedValuesOf("timeZone"), ...links])];
}

/** The zone that is probably meant by an offset, by its hours ahead of UTC. */
export const ZONE_OF_OFFSET: Readonly<Record<number, string>> = {
  [-10]: "Pacific/Honolulu",
  [-9]: "America/Anchorage",
  [-8]: "America/Los_Angeles",
  [-7]: "America/Denver",
  [-6]: "America/Chicago",
  [-5]: "America/New_York",
  [-4]: "America/Halifax",
  [-3]: "America/Sao_Paulo",
  0: "Europe/London",
  1: "Europe/Berlin",
  2: "Europe/Athens",
  3: "Europe/Istanbul",
  4: "Asia/Dubai",
  5: "Asia/Karachi",
  6: "Asia/Dhaka",
  7: "Asia/Bangkok",
  8: "Asia/Shanghai",
  9: "Asia/Tokyo",
  10: "Australia/Sydney",
  12: "Pacific/Auckland",
};
const ABBREVIATED: Readonly<Record<string, number>> = { EST: -5, MST: -7, HST: -10 };
/** For who wants an abbreviation's offset all year, a name that says so. */
const SAME_ALL_YEAR: Readonly<Record<string, string>> = { EST: "America/Panama", MST: "America/Phoenix" };

/** Returns what is odd about a zone of one offset all year, and which zone is probably meant; undefined for the others. */
export function describeFixedZone(zone: string): string | undefined {
  const hours = hoursAhead(zone);
  if (hours === undefined) return undefined;
  const offset = `UTC${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
  const meant = ZONE_OF_OFFSET[hours] ?? "that of a city";
  const other = SAME_ALL_YEAR[zone] ?? (hours === 0 ? "UTC" : undefined);
  const wayOut = other === undefined ? "" : `; if not, ${other} says so`;
  return `${zone} has no summer time: it is ${offset} all year. The zone probably meant is ${meant}${wayOut}.`;
}

/** Hours ahead of UTC of a zone that is named by them, or like one with summer time; UTC is what it says. */
function hoursAhead(zone: string): number | undefined {
  if (/^(Etc\/)?(GMT([+-]?0)?|Greenwich)$/.test(zone)) return 0;
  // The signs of these are the other way round, as in POSIX.
  const [, behind] = /^Etc\/GMT([+-]\d+)$/.exec(zone) ?? [];
  return behind === undefined ? ABBREVIATED[zone] : -Number(behind);
}

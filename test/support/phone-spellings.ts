/** The number that {@link SPELLINGS} and {@link NATIONAL_SPELLINGS} spell. */
export const CALLER = "+15125550101";
/** Another, in texts that name both. */
export const NEIGHBOR = "+15125550102";

/** Texts that name {@link CALLER} with its country code; everything that reads numbers must find one caller in all. */
export const SPELLINGS: readonly string[] = [
  "+15125550101",
  "15125550101",
  "0015125550101",
  "+1 (512) 555-0101",
  "(+1) 512.555.0101",
  "1/512/555/0101",
  " +1 512 555 0101\t",
  // Typed by programs: spreadsheets, links, SIP, right-to-left text, hyphens that do not break.
  "'+15125550101",
  '="15125550101"',
  "15125550101.0",
  "15,125,550,101",
  "tel:+15125550101",
  "tel:+1-512-555-0101;ext=12",
  "tel:%2B15125550101",
  "sip:+15125550101@10.20.30.40:5060;user=phone",
  '"Bob" <sip:+15125550101@pbx.example>;tag=998877665',
  "+15125550101@s.whatsapp.net",
  "\u202a+15125550101\u202c",
  "\ufeff+1\u2011512\u2011555\u20110101",
  "＋１ （５１２） ５５５－０１０１",
  "+\u0661\u0665\u0661\u0662\u0665\u0665\u0665\u0660\u0661\u0660\u0661",
  // Extensions.
  "+1 512 555 0101 x12",
  "+15125550101x12",
  "+15125550101 ext. 12",
  "+1 512 555 0101, Ext 4",
  "+15125550101;ext=12",
  "+15125550101;12",
  "+15125550101 #12",
  "+15125550101#12",
  "+15125550101*12",
  "+1 512 555 0101 extension 1234",
  "+1 512-555-0101-12",
  "+15125550101p12",
  "+15125550101w12#",
  "+15125550101,,12",
  "+15125550101,12",
  "+1 512 555 0101 Durchwahl 12",
  "+1 512 555 0101 poste 12",
  "+1 512 555 0101 доб. 12",
  "+15125550101 内線12",
  // Words.
  "+1 512 555 0101 (cell)",
  "C: +15125550101",
  "Mobile +15125550101",
  "Cell+15125550101",
  "Phone 2: +1 512 555 0101 - after 5 pm",
  "+1 512 555 0101 / 512-555-0101",
  "+15125550101, +1 512 555 0101 x3",
];

/** Texts that name it without its country code. */
export const NATIONAL_SPELLINGS: readonly string[] = [
  "5125550101",
  "(512) 555-0101",
  "512.555.0101",
  "512-555-0101 x12",
  "C: 512-555-0101",
  "5125550101.0",
  "5,125,550,101",
  '="5125550101"',
  "tel:512-555-0101",
  "512-555-0101/02",
  "512 555-0101\u200b (cell)",
];

/** Texts that name both numbers, in international form. */
export const PAIRS: readonly string[] = [
  "+15125550101 / +15125550102",
  "+15125550101, +15125550102",
  "+15125550101; +15125550102",
  "+15125550101 or +15125550102",
  "+15125550101\n+15125550102",
  "+15125550101+15125550102",
  "1 512 555 0101 1 512 555 0102",
  "+1 (512) 555-0101 (Bob), +1 (512) 555-0102 (Ann)",
  "tel:+15125550101,tel:+15125550102",
];

/** Texts that name no number that could be known. */
export const NO_NUMBERS: readonly string[] = [
  "",
  "-",
  "anonymous",
  "Unbekannt",
  // Rounded by a spreadsheet.
  "5.12555E+09",
  "5,12555e9",
  "+1.5126E+10",
  // Not shown.
  "+1 512 555 XXXX",
  "+1512555****",
  "x12",
  "Desk 12",
  "sip:49@10.20.30.40",
  "000-000-0000",
  "+266696687",
  "12345678901234567890",
  "forgotten1234567890abcdef",
  "9".repeat(501),
];

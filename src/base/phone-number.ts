export const PHONE_NUMBER = /^\+[1-9]\d{2,14}$/;

/**
 * Numbering plans of which each number has as many digits: country codes, and a number without them. Other plans have
 * numbers of several lengths, so that a missing digit does not show. From `PhoneNumberMetadata.xml` of libphonenumber.
 */
const PLANS = {
  "1": "[2-9]\\d\\d[2-9]\\d{6}",
  "7": "\\d{10}",
  "33|34|41|351": "\\d{9}",
  "45|47": "\\d{8}",
};
const OTHER_PLANS = `(?!${Object.keys(PLANS).join("|")})[1-9]\\d{6,14}`;

/** A number in E.164 that can be dialled, as far as its digits show. */
export const DIALABLE_NUMBER = new RegExp(
  `^\\+(?:${[...Object.entries(PLANS).map(([codes, national]) => `(?:${codes})${national}`), OTHER_PLANS].join("|")})$`,
);

/** `00` is not enough: some countries dial other digits before a country code, or a carrier after `00`. */
const COUNTRY_CODE_START = /^\P{Nd}*\+[^\p{Nd}\p{L}]*\p{Nd}/u;

/** Whether a phone number is written with its country code, i.e. with `+` before its first digit. */
export function hasCountryCode(text: string): boolean {
  return COUNTRY_CODE_START.test(text.normalize("NFKC"));
}

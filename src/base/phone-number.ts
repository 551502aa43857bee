export const PHONE_NUMBER = /^\+[1-9]\d{2,14}$/;

/**
 * Country codes whose numbers all have one length, with the rest of a number. Other countries have numbers of several
 * lengths, so that a missing digit does not show. From `PhoneNumberMetadata.xml` of libphonenumber.
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

/**
 * Whether a phone number is written with its country code, i.e. with `+` before its first digit. `00` is not enough: some
 * countries dial other digits before a country code, or a carrier after `00`.
 */
export function hasCountryCode(text: string): boolean {
  const [lead = "", ...rest] = text.normalize("NFKC").split(/(?=\p{Nd})/u, 2);
  const isNumber = rest.length > 0 && !/^\p{Nd}/u.test(lead);
  const plus = lead.lastIndexOf("+");
  return isNumber && plus >= 0 && !/\p{L}/u.test(lead.slice(plus));
}

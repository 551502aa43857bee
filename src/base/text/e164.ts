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

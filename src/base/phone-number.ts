/** A phone number in international form, as `toPhoneDigits` writes it. */
export const PHONE_NUMBER = /^\+[1-9]\d{2,14}$/;

export const PHONE_NUMBER = /^\+[1-9]\d{2,14}$/;

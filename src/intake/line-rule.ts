/** How lines count that may say again what another line says: each adds up, or equal ones count once. */
export const LINE_RULES = ["add", "once"] as const;
export type LineRule = (typeof LINE_RULES)[number];

/**
 * The limit of items, fields, arrays and objects of a long JSON text together. Each costs the main thread time in every
 * stage. No client is known to send so many.
 */
export const maxParts = 100_000
/** The limit of fields of one object in a long JSON text. V8 copies larger objects slowly. */
export const maxFields = 20_000

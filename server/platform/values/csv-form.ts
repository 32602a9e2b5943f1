/** Prefixes values that a spreadsheet would run as a formula with an apostrophe. Numbers are not affected. */
export const CSV_FORM = { escape_formulas: true, record_delimiter: '\r\n', cast: { boolean: String } } as const

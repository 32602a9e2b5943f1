/** What a spreadsheet would run when the file is opened begins with an apostrophe; numbers are none of that. */
export const CSV_FORM = { escape_formulas: true, record_delimiter: '\r\n', cast: { boolean: String } } as const

/**
 * The form of CSV files for users and programs. Values that a spreadsheet would run as a formula have an apostrophe as
 * a prefix; numbers are not affected.
 */
export const CSV_FORM = { escape_formulas: true, record_delimiter: '\r\n', cast: { boolean: String } } as const

/** The same form for files that users open in a spreadsheet, which recognizes UTF-8 by the byte order mark. */
export const CSV_FORM_FOR_PEOPLE = { ...CSV_FORM, bom: true } as const

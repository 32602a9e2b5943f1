/**
 * The format of CSV files for users and programs. Values that a spreadsheet would execute as a formula start with an
 * apostrophe. Numbers are not affected.
 */
export const CSV_FORM = { escape_formulas: true, record_delimiter: '\r\n', cast: { boolean: String } } as const

/** The format of CSV files that users open in a spreadsheet, which recognizes UTF-8 by the byte order mark. */
export const CSV_FORM_FOR_PEOPLE = { ...CSV_FORM, bom: true } as const

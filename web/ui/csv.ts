/** Converts a table to CSV (RFC 4180). It starts with a byte order mark, so that spreadsheets recognize UTF-8. */
export function toCsv(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[]): Blob {
  const lines = [heads, ...rows].map((cells) => cells.map(toCell).join(','))
  return new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' })
}

function toCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  // Adds an apostrophe before a text that a spreadsheet would run as a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Makes the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Returns a table as CSV (RFC 4180), with a byte order mark by which spreadsheets recognize UTF-8. */
export function toCsv(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[]): Blob {
  const lines = [heads, ...rows].map((cells) => cells.map(toCell).join(','))
  return new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' })
}

function toCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  // A spreadsheet would run text with this prefix as a formula. The apostrophe keeps it as text.
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

/**
 * Returns the rows of a CSV file or of cells that were copied from a spreadsheet. The separator is the one that occurs
 * most often in the first line, because spreadsheets use semicolons in some countries. Empty rows are left out.
 */
export function readCsv(text: string): string[][] {
  const body = text.replace(/^\uFEFF/, '')
  const [head = ''] = body.split(/\r\n|\n|\r/, 1)
  const separator = [',', ';', '\t'].reduce((best, one) => (count(head, one) > count(head, best) ? one : best))
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    row.push(cell.trim())
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
    cell = ''
  }
  for (let at = 0; at < body.length; at++) {
    const letter = body.charAt(at)
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (body.charAt(at + 1) === '"') {
        cell += letter
        at++
      } else isQuoted = false
    } else if (letter === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (letter === separator) {
      row.push(cell.trim())
      cell = ''
    } else if (letter === '\n' || letter === '\r') endRow()
    else cell += letter
  }
  endRow()
  return rows
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}

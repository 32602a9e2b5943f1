import { readCsv } from '../../ui/read-csv.ts'

/** Each request returns up to a thousand rows. A larger table is exported with the API. */
const MAX_REQUESTS = 100

/**
 * Reads an export part by part and joins the parts. Each part begins with the same header. The cell in the column `key`
 * of the last row states where the next part begins.
 */
export async function loadWholeCsv(key: string, load: (after: string | undefined) => Promise<string>): Promise<Blob> {
  const parts: string[] = []
  let after: string | undefined
  for (let at = 0; at < MAX_REQUESTS; at++) {
    const text = (await load(after)).replace(/^\uFEFF/, '')
    const headEnd = text.indexOf('\r\n') + 2
    const head = text.slice(0, headEnd)
    const rows = text.slice(headEnd)
    if (at === 0) parts.push(head)
    if (rows === '') break
    parts.push(rows)
    const [heads = [], cells = []] = readCsv(head + rows.slice(findLastRow(rows)))
    const next = cells[heads.indexOf(key)]
    if (next === undefined || next === after) break
    after = next
  }
  return new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' })
}

/** Returns the position at which the last row starts. Line breaks within quotes do not start a row. */
function findLastRow(rows: string): number {
  let isQuoted = false
  let start = 0
  for (let at = 0; at < rows.length - 2; at++) {
    const letter = rows.charAt(at)
    if (letter === '"') isQuoted = !isQuoted
    else if (letter === '\n' && !isQuoted) start = at + 1
  }
  return start
}

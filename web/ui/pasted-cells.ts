/** Returns the cells of text that was copied from a spreadsheet. */
export function splitCells(text: string): string[][] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map((line) => line.split('\t').map((cell) => cell.trim()))
}

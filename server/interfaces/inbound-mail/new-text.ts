/** The lines with which email programs introduce the quoted email in a reply, in English and Spanish. */
const INTRODUCTIONS = [
  /^(On|El)\b.{0,200}\b(wrote|escribió)\s*:\s*$/i,
  /^-{2,}\s*(Original Message|Mensaje original|Forwarded message)/i,
  /^_{10,}$/,
  /^(From|De):\s.*@/i,
]

/** The maximum number of lines of an introduction. Email programs break long introductions into several lines. */
const MAX_INTRODUCTION_LINES = 3

/** Returns the text that the sender wrote, without the quoted email. */
export function readNewText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const end = lines.findIndex((_line, i) => startsQuotation(lines, i))
  const own = end === -1 ? lines : lines.slice(0, end)
  return own
    .filter((line) => !line.startsWith('>'))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function startsQuotation(lines: readonly string[], start: number): boolean {
  for (let count = 1; count <= MAX_INTRODUCTION_LINES; count++) {
    const joined = lines
      .slice(start, start + count)
      .map((line) => line.trim())
      .join(' ')
    if (INTRODUCTIONS.some((introduction) => introduction.test(joined))) return true
  }
  return false
}

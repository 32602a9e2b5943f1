const ARABIC = /\p{Script=Arabic}/u
const LETTER = /\p{L}/u

/** Returns whether the text contains Arabic letters. */
export function hasArabic(text: string): boolean {
  return ARABIC.test(text)
}

/**
 * Returns the lines of a text with Arabic words. No line is wider than `width`. The words of a line are ordered from
 * left to right, as they are printed. The letters of a word keep their order, because the font arranges them.
 */
export function layOutWords(text: string, width: number, measure: (line: string) => number): string {
  return text
    .split('\n')
    .flatMap((paragraph) => {
      const isRightToLeft = isArabicFirst(paragraph)
      return breakLines(paragraph.split(' '), width, measure).map((line) => orderWords(line, isRightToLeft).join(' '))
    })
    .join('\n')
}

/** Returns whether the text as a whole is read from right to left. The first letter determines the direction. */
function isArabicFirst(text: string): boolean {
  const [first] = LETTER.exec(text) ?? []
  return first !== undefined && ARABIC.test(first)
}

function breakLines(words: readonly string[], width: number, measure: (line: string) => number): string[][] {
  const lines: string[][] = [[]]
  for (const word of words) {
    const line = lines.at(-1) ?? []
    if (line.length > 0 && measure([...line, word].join(' ')) > width) lines.push([word])
    else line.push(word)
  }
  return lines
}

function orderWords(words: readonly string[], isRightToLeft: boolean): string[] {
  if (!isRightToLeft) return reverseRuns(words, hasArabic)
  return reverseRuns(words.toReversed(), (word) => !hasArabic(word) && LETTER.test(word))
}

/** Reverses each run of right-to-left words, including the numbers between them. */
function reverseRuns(words: readonly string[], isOfRun: (word: string) => boolean): string[] {
  const ordered = [...words]
  let from = 0
  while (from < ordered.length) {
    if (!isOfRun(ordered[from] ?? '')) {
      from++
      continue
    }
    let to = from
    for (let i = from; i < ordered.length && (isOfRun(ordered[i] ?? '') || !LETTER.test(ordered[i] ?? '')); i++)
      if (isOfRun(ordered[i] ?? '')) to = i
    ordered.splice(from, to - from + 1, ...ordered.slice(from, to + 1).reverse())
    from = to + 1
  }
  return ordered
}

const ARABIC = /\p{Script=Arabic}/u
const LETTER = /\p{L}/u

/** Returns whether the text contains Arabic letters. */
export function hasArabic(text: string): boolean {
  return ARABIC.test(text)
}

/**
 * Lays out a text with Arabic words as lines that are at most `width` wide. Returns the words of each line from left to
 * right, as they are printed. Does not reorder the letters within a word, because the font arranges the letters.
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

/** Returns whether the text as a whole is read from right to left, which depends on its first letter. */
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

/** Reverses each group of consecutive right-to-left words, including the numbers between them. */
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

/** A record is found by its first so many words; only long notes and descriptions have more. */
const MOST_WORDS = 200
const MOST_ASKED = 6
const LONGEST = 40

/** Letters that Unicode does not take apart, written as people without them type them. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS[letter] ?? letter)
}

/** The parts of what stands between spaces, and what they are together if it is a number such as PO-0001-01. */
function partsOf(chunk: string): { parts: string[]; whole: string | null } {
  const parts = chunk.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const isNumber = parts.length > 1 && /\p{N}/u.test(chunk)
  return { parts, whole: isNumber ? parts.join('') : null }
}

const cut = (words: readonly string[]) => [...new Set(words.map((word) => word.slice(0, LONGEST)))]

/** The words by which a record with this text is found. */
export function wordsOf(text: string): string[] {
  const words = plain(text)
    .split(/\s+/)
    .map(partsOf)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole, ...parts]))
  return cut(words).slice(0, MOST_WORDS)
}

/** The words that somebody looks for. A number is looked for as a whole, with or without its hyphens. */
export function askedWords(q: string): string[] {
  const words = plain(q)
    .split(/\s+/)
    .map(partsOf)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole]))
  return cut(words).slice(0, MOST_ASKED)
}

/** In shorter words a slip makes another word, and numbers are not mistyped words. */
export function isForgiving(word: string): boolean {
  return /^\p{L}{4,24}$/u.test(word)
}

/** A word and what it is without any one of its letters. Two words with one of these in common differ by little. */
export function variantsOf(word: string): string[] {
  const letters = [...word]
  return [...new Set([word, ...letters.map((_, i) => [...letters.slice(0, i), ...letters.slice(i + 1)].join(''))])]
}

/** The first text after all that begin with the word, in the order of bytes. */
export function endOf(word: string): string {
  return `${word}\u{10ffff}`
}

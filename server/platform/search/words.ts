/** A record is found by this many first words. Only long notes and descriptions have more. */
const MOST_WORDS = 200
const MOST_ASKED = 6
const LONGEST = 40

/** Letters that Unicode does not decompose, as people without them type them. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS[letter] ?? letter)
}

/** Returns the parts of a word, and the whole if it is a number such as PO-0001-01. */
function partsOf(chunk: string): { parts: string[]; whole: string | null } {
  const parts = chunk.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const isNumber = parts.length > 1 && /\p{N}/u.test(chunk)
  return { parts, whole: isNumber ? parts.join('') : null }
}

const cut = (words: readonly string[]) => [...new Set(words.map((word) => word.slice(0, LONGEST)))]

/** Returns the words by which a record with this text is found. */
export function wordsOf(text: string): string[] {
  const words = plain(text)
    .split(/\s+/)
    .map(partsOf)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole, ...parts]))
  return cut(words).slice(0, MOST_WORDS)
}

/** Returns the words of a search. A number is searched as a whole, with or without its hyphens. */
export function askedWords(q: string): string[] {
  const words = plain(q)
    .split(/\s+/)
    .map(partsOf)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole]))
  return cut(words).slice(0, MOST_ASKED)
}

/**
 * Returns whether a typo in the word is tolerated. In shorter words a typo makes another word, and numbers are not
 * mistyped words.
 */
export function isForgiving(word: string): boolean {
  return /^\p{L}{4,24}$/u.test(word)
}

/**
 * Returns a word, and the same without any one of its letters. Two words with one of these in common differ by little.
 */
export function variantsOf(word: string): string[] {
  const letters = [...word]
  return [...new Set([word, ...letters.map((_, i) => [...letters.slice(0, i), ...letters.slice(i + 1)].join(''))])]
}

/** Returns the first text after all that begin with the word, in byte order. */
export function endOf(word: string): string {
  return `${word}\u{10ffff}`
}

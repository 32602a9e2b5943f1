/** The maximum number of words by which a record is found. Only long notes and descriptions contain more words. */
const MAX_WORDS = 200
const MAX_QUERY_WORDS = 6
const MAX_WORD_LENGTH = 40

/** Replacements for letters that Unicode does not decompose, which users without a matching keyboard also type. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS[letter] ?? letter)
}

/**
 * Returns the parts of a word. If the word is a number such as PO-0001-01, also returns the number without its
 * separators.
 */
function splitChunk(chunk: string): { parts: string[]; whole: string | null } {
  const parts = chunk.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const isNumber = parts.length > 1 && /\p{N}/u.test(chunk)
  return { parts, whole: isNumber ? parts.join('') : null }
}

const shortenWords = (words: readonly string[]) => [...new Set(words.map((word) => word.slice(0, MAX_WORD_LENGTH)))]

/** Returns the words by which a record with this text is found. */
export function toIndexWords(text: string): string[] {
  const words = foldText(text)
    .split(/\s+/)
    .map(splitChunk)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole, ...parts]))
  return shortenWords(words).slice(0, MAX_WORDS)
}

/** Returns the words of a search. A number is searched as a whole, so it is found with or without hyphens. */
export function toQueryWords(q: string): string[] {
  const words = foldText(q)
    .split(/\s+/)
    .map(splitChunk)
    .flatMap(({ parts, whole }) => (whole === null ? parts : [whole]))
  return shortenWords(words).slice(0, MAX_QUERY_WORDS)
}

/**
 * Returns whether a word is also found with a typo. In a short word, a typo often results in another word. Numbers must
 * match exactly.
 */
export function isTypoTolerant(word: string): boolean {
  return /^\p{L}{4,24}$/u.test(word)
}

/** Returns a word, and its variants without any one of its letters. Two words with a common variant are similar. */
export function listTypoVariants(word: string): string[] {
  const letters = [...word]
  return [...new Set([word, ...letters.map((_, i) => [...letters.slice(0, i), ...letters.slice(i + 1)].join(''))])]
}

/** Returns the first text, in byte order, after all texts that begin with the word. */
export function computePrefixEnd(word: string): string {
  return `${word}\u{10ffff}`
}

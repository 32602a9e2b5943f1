/** Formats a count with its noun, such as `1 vendor` or `2 vendors`. */
export function formatCount(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : several}`
}

/** Joins words to a list, such as `a`, `a and b`, or `a, b and c`. */
export function formatList(words: readonly string[]): string {
  return new Intl.ListFormat('en-US', { type: 'conjunction' }).format(words).replace(/, and /, ' and ')
}

/** Returns the initials of a user or company, at most two letters. */
export function toInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  return `${words[0]?.charAt(0) ?? ''}${words.length > 1 ? (words.at(-1)?.charAt(0) ?? '') : ''}`.toUpperCase()
}

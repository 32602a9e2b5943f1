/** `1 vendor`, `2 vendors`. */
export function formatCount(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : several}`
}

/** `a`, `a and b`, `a, b and c`. */
export function formatList(words: readonly string[]): string {
  return new Intl.ListFormat('en-US', { type: 'conjunction' }).format(words).replace(/, and /, ' and ')
}

/** Returns two initials for a user or company. */
export function toInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  return `${words[0]?.charAt(0) ?? ''}${words.length > 1 ? (words.at(-1)?.charAt(0) ?? '') : ''}`.toUpperCase()
}

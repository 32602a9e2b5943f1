/**
 * Returns the known names that are most similar to an unknown name, in order of similarity. A part of a name counts as
 * much as the entire name, and the order of its words does not matter. By default, returns some names even if they are
 * not similar. With `onlyAlike`, returns only names that have at least half of their letters in common with the unknown
 * name.
 */
export function listSimilarNames(
  name: string,
  names: readonly string[],
  max: number,
  { onlyAlike = false }: { onlyAlike?: boolean } = {},
): string[] {
  const requested = normalizeName(name)
  const inOrder = normalizeName(sortWords(name))
  const distances = names.map((candidate) => {
    const known = normalizeName(candidate)
    const isPart = requested !== '' && (known.includes(requested) || requested.includes(known))
    const distance = isPart
      ? 0
      : Math.min(editDistance(requested, known), editDistance(inOrder, normalizeName(sortWords(candidate))))
    return { candidate, distance, isAlike: distance * 2 <= Math.max(requested.length, known.length) }
  })
  const alike = onlyAlike ? distances.filter(({ isAlike }) => isAlike) : distances
  alike.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
  return alike.slice(0, max).map(({ candidate }) => candidate)
}

/** Returns the words of a name in alphabetical order. */
function sortWords(name: string): string {
  return name
    .slice(0, MAX_COMPARED_LENGTH)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .sort()
    .join('')
}

/** Returns the known name that the caller probably meant; undefined if no name is similar. */
export function suggestName(name: string, names: readonly string[]): string | undefined {
  const requested = normalizeName(name)
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of names) {
    const known = normalizeName(candidate)
    const longer = Math.max(requested.length, known.length)
    // The number of different letters is at least this difference, so most names need no further comparison.
    const min = Math.abs(requested.length - known.length)
    const beginsAlike = countSharedStart(requested, known) * 2 >= longer
    if ((min * 3 > longer && !beginsAlike) || (best !== undefined && min >= best.distance)) continue
    const distance = editDistance(requested, known)
    // Similar names differ by a typo, or have the same beginning and different ends, such as updatedSince and
    // updatedAfter.
    const isAlike = distance * 3 <= longer || beginsAlike
    if (isAlike && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/**
 * Returns whether two names differ by at most one letter, or only in notation, such as company_name and companyname.
 */
export function isNearlyEqual(name: string, known: string): boolean {
  const [a, b] = [normalizeName(name), normalizeName(known)]
  return known.length > 3 && Math.abs(a.length - b.length) <= 1 && editDistance(a, b) <= 1
}

/**
 * Returns whether a new name is a known name with a typo or in a different notation. A typo is one wrong letter, or two
 * wrong letters in a long word with the same beginning. This check is stricter than that for suggestions in errors,
 * because it rejects the name: tiling is not a typo of siding, and unit 2 is not a typo of unit 3.
 */
export function isLikelyTypo(name: string, known: string): boolean {
  const [a, b] = [normalizeName(name), normalizeName(known)]
  const longer = Math.max(a.length, b.length)
  const max = longer < MIN_MISTYPED_LENGTH ? 0 : longer >= LONG_WORD_LENGTH && a[0] === b[0] ? 2 : 1
  if (Math.abs(a.length - b.length) > max || a.replaceAll(/\D/g, '') !== b.replaceAll(/\D/g, '')) return false
  return editDistance(a, b) <= max
}

const MIN_MISTYPED_LENGTH = 4
const LONG_WORD_LENGTH = 9

// Longer names are never treated as typos, because comparing them would take too long.
const MAX_COMPARED_LENGTH = 100

/**
 * The characters that are ignored in comparisons: company_name equals companyName, and Lot 16 Juniper Ridge equals Lot
 * 16, Juniper Ridge.
 */
const SEPARATORS = /[^\p{L}\p{N}]+/gu

function normalizeName(name: string): string {
  return name.slice(0, MAX_COMPARED_LENGTH).toLowerCase().replaceAll(SEPARATORS, '')
}

function countSharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/**
 * Returns the minimum number of letters to insert, remove, replace, or swap with the next letter in order to convert
 * one word to the other.
 */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const [above = 0, left = 0, diagonal = 0] = [row[j], next[j - 1], row[j - 1]]
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(above + 1, left + 1, diagonal + (from[i - 1] === to[j - 1] ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}

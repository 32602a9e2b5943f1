/**
 * Returns the parts of an address from its lines, as in exports from QuickBooks: the company name, the street, and
 * `City, ST 12345`. Returns an empty object if the lines are empty.
 *
 * @param names names that may occur as a line and are not part of the address
 */
export function splitAddressLines(cells: readonly unknown[], names: readonly unknown[]): Record<string, string> {
  const skipped = new Set(names.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : [])))
  const lines = cells
    .flatMap((cell) => (typeof cell === 'string' ? cell.split(/\r\n|\n|\r/) : []))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !skipped.has(line.toLowerCase()))
  const at = lines.findLastIndex((line) => CITY_LINE.test(line))
  const [, street, city = '', state = '', postalCode = ''] = CITY_LINE.exec(lines[at] ?? '') ?? []
  const before = at < 0 ? lines : lines.slice(0, at)
  const [line1, line2] = street === undefined ? before : [...before, street]
  return {
    ...(line1 !== undefined && { 'address.line1': line1 }),
    ...(line2 !== undefined && { 'address.line2': line2 }),
    ...(at >= 0 && { 'address.city': city, 'address.state': state, 'address.postalCode': postalCode }),
  }
}

/** Matches `Austin, TX 78756`, with or without a street before the city: `12 Main St, Austin, TX 78756`. */
const CITY_LINE = /^(?:(.+),\s*)?([^,\d]+?),?\s+([A-Z]{2})\.?,?\s+(\d{5}(?:-\d{4})?)$/

/** The IDs of the options that an option requires and excludes. */
export interface OptionLinks {
  readonly id: string
  readonly requiresOptionIds: readonly string[]
  readonly excludesOptionIds: readonly string[]
}

/**
 * The reason why an option could never be selected: it requires itself, or it requires two options that exclude each
 * other. One of these two can be the option itself.
 */
export type LinkError =
  | { kind: 'ring'; id: string; through: string }
  | { kind: 'contradiction'; id: string; one: string; other: string }

/**
 * Returns the error that the new links of `changed` would cause, for this option or for an option that requires it,
 * directly or indirectly. Returns null if all of these options can still be selected.
 */
export function findLinkError(changed: OptionLinks, others: readonly OptionLinks[]): LinkError | null {
  const links = new Map([...others, changed].map((each) => [each.id, each]))
  for (const id of [changed.id, ...listRequiring(changed.id, links)]) {
    const fault = findErrorOf(id, links)
    if (fault !== null) return fault
  }
  return null
}

/** Returns the IDs of all options that the option requires, directly or indirectly. Omits the option itself. */
export function listRequiredOptionIds(id: string, links: ReadonlyMap<string, OptionLinks>): Set<string> {
  const found = new Set<string>()
  const next = [...(links.get(id)?.requiresOptionIds ?? [])]
  for (let required = next.pop(); required !== undefined; required = next.pop()) {
    if (found.has(required)) continue
    found.add(required)
    next.push(...(links.get(required)?.requiresOptionIds ?? []))
  }
  return found
}

function listRequiring(id: string, links: ReadonlyMap<string, OptionLinks>): Set<string> {
  const directly = new Map<string, string[]>()
  for (const each of links.values()) {
    for (const required of each.requiresOptionIds) {
      const known = directly.get(required)
      if (known === undefined) directly.set(required, [each.id])
      else known.push(each.id)
    }
  }
  const found = new Set<string>()
  const next = [...(directly.get(id) ?? [])]
  for (let above = next.pop(); above !== undefined; above = next.pop()) {
    if (found.has(above) || above === id) continue
    found.add(above)
    next.push(...(directly.get(above) ?? []))
  }
  return found
}

function findErrorOf(id: string, links: ReadonlyMap<string, OptionLinks>): LinkError | null {
  const required = listRequiredOptionIds(id, links)
  if (required.has(id)) {
    const through = links
      .get(id)
      ?.requiresOptionIds.find((each) => each === id || listRequiredOptionIds(each, links).has(id))
    return { kind: 'ring', id, through: through ?? id }
  }
  const together = new Set([id, ...required])
  for (const one of together) {
    const other = links.get(one)?.excludesOptionIds.find((each) => together.has(each))
    if (other !== undefined) return { kind: 'contradiction', id, one, other }
  }
  return null
}

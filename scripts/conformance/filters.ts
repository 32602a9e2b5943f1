import type { Operation, ResponseObject, Schema } from '../../server/platform/calls/contract.ts'
import { contract } from './walked-contract.ts'

type Item = Record<string, unknown>

/** A query parameter of a list, and the field of the items to which the parameter applies. */
export interface Filter {
  readonly parameter: string
  readonly field: string
  /** Whether the list contains the items with this value, or those with this time or a later one. */
  readonly selects: 'equal' | 'since'
}

/**
 * Returns the filters whose name contains the name of the field, such as `vendorId`, `scopes` for `scope`, and
 * `createdAfter`.
 */
export function listFilters(operation: Operation): Filter[] {
  const fields = listItemFields(operation)
  return (operation.declaration.parameters ?? []).flatMap((declared): Filter[] => {
    const { name, in: where } = contract.resolve(declared)
    const field = [SPECIAL_FIELDS[name], name, `${name}s`].find((each) => each !== undefined && fields.has(each))
    if (where !== 'query' || field === undefined) return []
    return [{ parameter: name, field, selects: SINCE.has(name) ? 'since' : 'equal' }]
  })
}

const SPECIAL_FIELDS: Record<string, string> = { ids: 'id', createdAfter: 'createdAt', updatedAfter: 'updatedAt' }
const SINCE: ReadonlySet<string> = new Set(['createdAfter', 'updatedAfter'])

function listItemFields({ declaration }: Operation): ReadonlySet<string> {
  const declared = declaration.responses['200']
  if (declared === undefined) return new Set()
  const { content = {} } = contract.resolve<ResponseObject>(declared)
  const [media] = Object.values(content) as { schema?: Schema }[]
  const page = contract.resolve<Schema>(media?.schema ?? {}) as { properties?: Record<string, Schema> }
  const list = contract.resolve<Schema>(page.properties?.data ?? {}) as { items?: Schema }
  const item = contract.resolve<Schema>(list.items ?? {}) as { properties?: Record<string, Schema> }
  return new Set(Object.keys(item.properties ?? {}))
}

/** Returns the item's value for a filter; null if the item has none. */
export function findFilterValue({ field }: Filter, item: Item): string | null {
  const value = Array.isArray(item[field]) ? item[field][0] : item[field]
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? String(value) : null
}

/**
 * Returns whether an item may be in a list with this filter. An item without a value may apply to all values, such as a
 * price that is valid in every community.
 */
export function matchesFilter({ field, selects }: Filter, item: Item, value: string): boolean {
  const has = item[field]
  if (has === null || has === undefined || (Array.isArray(has) && has.length === 0)) return true
  if (selects === 'since') return Date.parse(String(has)) >= Date.parse(value)
  return [has].flat().some((each) => normalize(each) === normalize(value))
}

/** Ignores case, because the service compares keys that users type without regard to case. */
function normalize(value: unknown): string {
  return String(value).normalize('NFKC').trim().toLowerCase()
}

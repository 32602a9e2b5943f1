/**
 * Keys that users enter, such as a SKU, a lot number, or an accounting ID. They are trimmed, and compared regardless of
 * letter case and Unicode form, because users do not see these differences. The spelling stays as entered. The SQL
 * function "typedKey" must return the same result.
 */
export function toTypedKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** The columns of typed keys that have another column for comparisons, such as "skuKey". */
const TYPED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  parts: ['sku'],
  costCodes: ['code', 'accountingId'],
  communities: ['code', 'accountingId'],
  plans: ['code'],
  options: ['code'],
  homes: ['lotNumber', 'block', 'accountingId'],
  sales: ['lotNumber', 'block'],
  vendors: ['accountingId'],
  contracts: ['accountingId'],
  purchaseOrders: ['accountingId'],
  payments: ['accountingId'],
}

export function isTypedKeyColumn(table: string, column: string): boolean {
  return TYPED_COLUMNS[table]?.includes(column) === true
}

/**
 * Returns a function that finds a record by its typed key. A record with exactly the same spelling takes precedence,
 * because older records can have keys that differ only in letter case.
 */
export function createKeyLookup<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null | undefined,
): (key: string | null | undefined) => Item | undefined {
  const exact = new Map<string, Item>()
  const similar = new Map<string, Item>()
  for (const item of items) {
    const key = keyOf(item)
    if (key == null) continue
    exact.set(key, item)
    if (!similar.has(toTypedKey(key))) similar.set(toTypedKey(key), item)
  }
  return (key) => (key == null ? undefined : (exact.get(key) ?? similar.get(toTypedKey(key))))
}

/** The fields that contain a typed key or a list of typed keys. */
const TYPED_FIELDS: ReadonlySet<string> = new Set([
  ...['sku', 'code', 'parentCode', 'lotNumber', 'block', 'accountingId', 'scope', 'scopes'],
])
/** The maximum depth of typed keys in a body. The deepest are in the rows of a batch within the input of a skill. */
const MAX_DEPTH = 8

/** Trims the typed keys of a request body in place. Blank keys become empty, so that validation rejects them. */
export function trimTypedKeys(body: unknown, depth = 0): void {
  if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return
  if (Array.isArray(body)) {
    for (const item of body) trimTypedKeys(item, depth + 1)
    return
  }
  const fields = body as Record<string, unknown>
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object') {
      if (TYPED_FIELDS.has(name) && Array.isArray(value)) fields[name] = value.map(trimKey)
      else trimTypedKeys(value, depth + 1)
    } else if (TYPED_FIELDS.has(name)) fields[name] = trimKey(value)
  }
}

function trimKey(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value
}

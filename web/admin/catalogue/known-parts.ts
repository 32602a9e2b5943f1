import { useEffect, useState } from 'react'
import type { Part } from '../../../client/contract.gen.ts'
import { fetchAllRows, useListPage } from '../../api/list-pages.ts'

/** The fields of a part that a grid needs. */
export interface GridPart {
  readonly id: string
  readonly sku: string
  readonly name: string
  readonly unit: string
}

/** The number of IDs in one request. */
const IDS_PER_REQUEST = 200
/**
 * The maximum number of parts that are read to recognize pasted SKUs. The service still recognizes the IDs of other
 * parts.
 */
const MAX_PARTS = 10_000
/** With more unknown SKUs, it is faster to read all parts. */
const MAX_LOOKUPS = 10
/** Suggestions for the part that the user types. */
const MAX_SUGGESTIONS = 20

/** Reads the parts with these IDs, including archived ones. */
export async function fetchParts(ids: readonly string[]): Promise<readonly Part[]> {
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_PER_REQUEST) }, (_, at) =>
    ids.slice(at * IDS_PER_REQUEST, (at + 1) * IDS_PER_REQUEST),
  )
  const pages = await Promise.all(
    chunks.map((chunk) => fetchAllRows('/api/ext/parts', { ids: chunk, includeArchived: true }, IDS_PER_REQUEST)),
  )
  return pages.flatMap(({ rows }) => rows)
}

/**
 * Returns the parts by their SKU. SKUs that the user types or pastes are looked up after a pause. Null marks a SKU that
 * does not exist. While `isLookingUp` is true, some SKUs are not known yet, so the rows cannot be saved.
 */
export function useKnownParts(
  loaded: readonly Part[],
  typed: readonly string[],
): { parts: ReadonlyMap<string, GridPart | null>; isLookingUp: boolean } {
  const [parts, setParts] = useState<ReadonlyMap<string, GridPart | null>>(() => {
    // A SKU may be used again after its part was archived.
    const activeLast = loaded.toSorted((a, b) => Number(a.archivedAt === null) - Number(b.archivedAt === null))
    return new Map(activeLast.flatMap((part) => [[part.id, part] as const, [part.sku.toLowerCase(), part] as const]))
  })
  const [failures, setFailures] = useState(0)
  const skus = new Set(typed.map((sku) => sku.trim().toLowerCase()))
  const missing = [...skus].filter((sku) => sku !== '' && !parts.has(sku)).join('\n')
  useEffect(() => {
    if (missing === '') return
    const wanted = missing.split('\n')
    let isOver = false
    const timer = setTimeout(
      async () => {
        const found = await fetchPartsBySku(wanted).catch(() => null)
        if (isOver) return
        if (found === null) return setFailures((before) => before + 1)
        setFailures(0)
        const bySku = new Map(found.map((part) => [part.sku.toLowerCase(), part]))
        setParts((before) => new Map([...before, ...wanted.map((sku) => [sku, bySku.get(sku) ?? null] as const)]))
      },
      failures === 0 ? LOOK_UP_MS : RETRY_MS,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [missing, failures])
  return { parts, isLookingUp: missing !== '' }
}

/** The pause after the last letter. */
const LOOK_UP_MS = 300
/** The pause after a failed request, which is long enough for the service to recover. */
const RETRY_MS = 5000

async function fetchPartsBySku(skus: readonly string[]): Promise<readonly Part[]> {
  if (skus.length > MAX_LOOKUPS) return (await fetchAllRows('/api/ext/parts', { sort: 'sku' }, MAX_PARTS)).rows
  const pages = await Promise.all(skus.map((sku) => fetchAllRows('/api/ext/parts', { sku }, 1)))
  return pages.flatMap(({ rows }) => rows)
}

/** Returns parts whose SKU or name contains the text, for a cell in which the user types a SKU. */
export function usePartSuggestions(text: string): readonly { value: string; label: string }[] {
  const q = text.trim()
  const found = useListPage('/api/ext/parts', { limit: MAX_SUGGESTIONS, q, sort: 'sku' }, { enabled: q !== '' })
  return (found.data?.data ?? []).map(({ sku, name }) => ({ value: sku, label: name }))
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CostCode, Part, TakeoffLine } from '../../../client/contract.gen.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import type { GridPart, TakeoffRow } from './takeoff-rows.ts'

/** The number of IDs in one request. */
const IDS_PER_REQUEST = 200
/** A builder has fewer cost codes. */
const MAX_CODES = 2000
/** More parts are not read to recognize pasted SKUs. The service still recognizes the IDs of other parts. */
const MAX_PARTS = 10_000
/** With more unknown SKUs, it is faster to read all parts. */
const MAX_LOOKUPS = 10

/** The parts and cost codes to which the lines of a takeoff refer. */
export interface TakeoffReferences {
  /** The version of the takeoff whose parts were loaded. */
  version: number
  parts: readonly Part[]
  costCodes: readonly CostCode[]
}

/** Loads the parts of the lines, and all cost codes. */
export function useTakeoffReferences(
  id: string,
  takeoff: { version: number; lines: readonly Pick<TakeoffLine, 'partId'>[] } | undefined,
): { data: TakeoffReferences | undefined; error: unknown; refetch(): Promise<unknown> } {
  // The keys are not paths, so that the list of the page's calls does not contain these requests.
  const codes = useQuery({
    queryKey: ['takeoff codes'],
    queryFn: async () => (await fetchAllRows('/api/ext/cost-codes', { sort: 'code' }, MAX_CODES)).rows,
  })
  const parts = useQuery({
    queryKey: ['takeoff parts', [id, takeoff?.version]],
    queryFn: async () => ({
      version: takeoff?.version ?? 0,
      parts: await fetchParts([...new Set((takeoff?.lines ?? []).map(({ partId }) => partId))]),
    }),
    enabled: takeoff !== undefined,
    // The grid must not disappear while the parts of a newer version are loaded.
    placeholderData: keepPreviousData,
  })
  return {
    data: parts.data === undefined || codes.data === undefined ? undefined : { ...parts.data, costCodes: codes.data },
    error: codes.error ?? parts.error,
    refetch: () => Promise.all([codes.refetch(), parts.refetch()]),
  }
}

async function fetchParts(ids: readonly string[]): Promise<readonly Part[]> {
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
 * does not exist.
 */
export function useKnownParts(
  loaded: readonly Part[],
  rows: readonly TakeoffRow[],
): ReadonlyMap<string, GridPart | null> {
  const [parts, setParts] = useState<ReadonlyMap<string, GridPart | null>>(() => {
    // A SKU may be used again after its part was archived.
    const activeLast = loaded.toSorted((a, b) => Number(a.archivedAt === null) - Number(b.archivedAt === null))
    return new Map(activeLast.flatMap((part) => [[part.id, part] as const, [part.sku.toLowerCase(), part] as const]))
  })
  const skus = new Set(rows.map(({ cells }) => (cells.part ?? '').trim().toLowerCase()))
  const missing = [...skus].filter((sku) => sku !== '' && !parts.has(sku)).join('\n')
  useEffect(() => {
    if (missing === '') return
    const wanted = missing.split('\n')
    let isOver = false
    const timer = setTimeout(async () => {
      const found = await fetchPartsBySku(wanted).catch(() => null)
      if (isOver || found === null) return
      const bySku = new Map(found.map((part) => [part.sku.toLowerCase(), part]))
      setParts((before) => new Map([...before, ...wanted.map((sku) => [sku, bySku.get(sku) ?? null] as const)]))
    }, LOOK_UP_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [missing])
  return parts
}

/** The pause after the last letter. */
const LOOK_UP_MS = 300

async function fetchPartsBySku(skus: readonly string[]): Promise<readonly Part[]> {
  if (skus.length > MAX_LOOKUPS) return (await fetchAllRows('/api/ext/parts', { sort: 'sku' }, MAX_PARTS)).rows
  const pages = await Promise.all(skus.map((sku) => fetchAllRows('/api/ext/parts', { sku }, 1)))
  return pages.flatMap(({ rows }) => rows)
}

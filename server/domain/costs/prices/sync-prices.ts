import { isDeepStrictEqual } from 'node:util'
import type { Part, Price, PriceRow, PricesSync } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { conflict, Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import type { RowChange } from '../../../platform/resources/resource.ts'
import { findRecordIdsByKey, findKnownIds as idsOf, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  createArchivedRecordProblem,
  createDuplicateRowProblem,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { formatList, formatNumber } from '../../../platform/values/format.ts'
import { createKeyLookup, toTypedKey } from '../../../platform/values/typed-keys.ts'
import * as parts from '../parts/queries.ts'
import { assertValidPriceTerm, createOverlapProblem } from './price.ts'
import * as prices from './queries.ts'

type PriceSyncRow = SyncRow<PriceRow>

/**
 * The maximum number of prices that are read for a thousand rows, which is ten times the number in a price book after
 * ten years.
 */
const MAX_READ = 20_000

/**
 * Syncs prices from an external system. Handles each row like a call to addPrice or updatePrice, one after the other.
 */
export function definePriceSync(match: PricesSync['match']): SyncDefinition<'PriceRow', Price> {
  return {
    schema: 'PriceRow',
    keysOf: (values) =>
      values.id === undefined && values.externalId == null
        ? { effectiveDate: toPriceKey(values) }
        : { id: values.id, externalId: values.externalId },
    insertAll: prices.insertAll,
    updateAll: prices.updateAll,

    async decide(call, rows) {
      const keyed = await findRecordIdsByKey(call, 'prices', ['externalId'], rows)
      // Every change of a price locks its part, so the prices that are read below cannot change.
      const found = await parts.lockPartsByKeys(call, {
        ids: [
          ...(await prices.findAll(call, keyed)).map(({ partId }) => partId),
          ...rows.flatMap(({ values }) => values.partId ?? []),
        ],
        skus: rows.flatMap(({ values }) => values.sku ?? []),
      })
      const book = new PriceBook(call, found, match === undefined)
      const meant = matchByKey(rows, await prices.findAll(call, keyed), match)
      const requested = rows.map((row, i) => catchProblem(() => book.wantedOf(row, meant[i] ?? null)))
      const lanes = requested.flatMap((each) => (each instanceof Problem || each.lane === null ? [] : [each.lane]))
      const near = await prices.listPriceIdsInLanes(
        call,
        [...new Map(lanes.map((lane) => [toLaneKey(lane), lane])).values()],
        MAX_READ + 1,
      )
      if (near.length > MAX_READ)
        throw conflict(
          'limit_reached',
          `The parts of these rows have more than ${formatNumber(MAX_READ)} prices for the same places and plans. Send fewer rows.`,
        )
      book.add(await prices.findAll(call, [...new Set([...near, ...keyed])]))
      const known = {
        vendorId: await idsOf(call, 'vendors', listNamedIds(rows, 'vendorId')),
        communityId: await idsOf(call, 'communities', listNamedIds(rows, 'communityId')),
        planId: await idsOf(call, 'plans', listNamedIds(rows, 'planId')),
      }
      return requested.map((each) => {
        if (each instanceof Problem) return each
        const { row, lane } = each
        const fields = (['vendorId', 'communityId', 'planId'] as const).filter((field) => {
          const id = row.values[field]
          return id != null && !known[field].has(id)
        })
        if (lane !== null && fields.length === 0) return book.apply(each, lane)
        const unknown = lane !== null ? fields : [row.values.partId === undefined ? 'sku' : 'partId', ...fields]
        return unknownReference(unknown.map((field) => `/${field}`))
      })
    },
  }
}

/** For each row, returns the price that the keys of the row identify; null if the row has no key or no price has it. */
function matchByKey(
  rows: readonly PriceSyncRow[],
  found: readonly Price[],
  match: PricesSync['match'],
): (Price | Problem | null)[] {
  if (match !== undefined) return matchRowsByKey(rows, found, match)
  const byExternalId = new Map(found.map((price) => [price.externalId, price]))
  return rows.map(({ values: { id, externalId } }) => {
    if (id !== undefined)
      return validationFailed([{ pointer: '/id', code: 'match', message: 'requires match to be id' }])
    const own = externalId == null ? undefined : byExternalId.get(externalId)
    return own?.archivedAt == null ? (own ?? null) : createArchivedRecordProblem()
  })
}

/** A row that is to be applied to the price book. */
interface PlacedRow {
  readonly row: PriceSyncRow
  /** The price that a key of the row identifies; null if there is none. */
  readonly before: Price | null
  /** The validated fields of a new price; null for an existing price. */
  readonly whole: Checked['PriceCreate'] | null
  /** The lane of the price; null if the row does not refer to an existing part. */
  readonly lane: prices.PriceLane | null
}

/** Returns the lane of the row's price. An existing price stays in its lane unless the row moves it. */
function chooseLane({ values, given }: PriceSyncRow, before: Price | null, part: Part): prices.PriceLane {
  const { vendorId = before?.vendorId ?? '', communityId = null, planId = null } = values
  return {
    partId: part.id,
    vendorId,
    communityId: before === null || given.has('communityId') ? communityId : before.communityId,
    planId: before === null || given.has('planId') ? planId : before.planId,
  }
}

function listNamedIds(rows: readonly PriceSyncRow[], field: 'vendorId' | 'communityId' | 'planId'): string[] {
  return rows.flatMap(({ values }) => values[field] ?? [])
}

/** Returns a key that identifies a price without an ID among the prices in the request. */
function toPriceKey({ partId, sku, minQuantity = 0, effectiveDate, ...values }: PriceRow): string {
  const { vendorId, communityId = null, planId = null } = values
  return JSON.stringify([partId ?? null, sku ?? null, vendorId, communityId, planId, minQuantity, effectiveDate])
}

function toLaneKey({ partId, vendorId, communityId, planId }: prices.PriceLane): string {
  return JSON.stringify([partId, vendorId, communityId, planId])
}

/** The stored prices that the rows may change. The rows are applied one after the other. */
class PriceBook {
  readonly #call: WriteCall
  readonly #parts: ReadonlyMap<string, Part>
  readonly #findBySku: (sku: string | undefined) => Part | undefined
  /** Whether a row without a key is applied to the price with the same lane, minimum quantity, and effective date. */
  readonly #findsAlike: boolean
  readonly #stored = new Map<string, Price>()
  /** The active prices of each lane in their current state. */
  readonly #lanes = new Map<string, Map<string, Price>>()
  /** The number of the row that was applied to each price. */
  readonly #meant = new Map<string, number>()

  constructor(call: WriteCall, found: readonly Part[], findsAlike: boolean) {
    this.#call = call
    this.#parts = new Map(found.map((part) => [part.id, part]))
    this.#findBySku = createKeyLookup(
      found.filter(({ archivedAt }) => archivedAt === null),
      ({ sku }) => sku,
    )
    this.#findsAlike = findsAlike
  }

  add(stored: readonly Price[]): void {
    for (const price of stored) {
      this.#stored.set(price.id, price)
      if (price.archivedAt === null) this.#lane(price).set(price.id, price)
    }
  }

  #lane(of: prices.PriceLane): Map<string, Price> {
    const key = toLaneKey(of)
    const lane = this.#lanes.get(key) ?? new Map<string, Price>()
    this.#lanes.set(key, lane)
    return lane
  }

  wantedOf(row: PriceSyncRow, before: Price | Problem | null): PlacedRow | Problem {
    if (before instanceof Problem) return before
    const { id: _id, partId: _part, sku: _sku, ...values } = row.values
    const part = this.#partOf(row.values, before)
    const whole = before === null ? createRowChecker(this.#call, 'PriceCreate')({ ...values }) : null
    return { row, before, whole, lane: part === null ? null : chooseLane(row, before, part) }
  }

  /**
   * Returns the part to which the row refers or, if it refers to none, the part of its price. Returns null if there is
   * neither.
   */
  #partOf({ partId, sku }: PriceRow, before: Price | null): Part | null {
    const named = partId ?? (sku === undefined ? before?.partId : undefined)
    if (named === undefined && sku === undefined)
      throw validationFailed([{ pointer: '/partId', code: 'required', message: 'is required unless sku is set' }])
    const part = (named === undefined ? this.#findBySku(sku) : this.#parts.get(named)) ?? null
    if (part === null || partId === undefined || sku === undefined || toTypedKey(part.sku) === toTypedKey(sku))
      return part
    throw validationFailed([
      { pointer: '/sku', code: 'part', message: `must be ${part.sku}, the SKU of partId, or omitted` },
    ])
  }

  /** Applies the row and returns its result. Later rows see the changes. */
  apply({ row, before: keyed, whole }: PlacedRow, lane: prices.PriceLane): PlannedWrite<Price> | Problem {
    try {
      const before = this.#meantBy(row, keyed, lane)
      const after = before === null ? this.#made(whole, lane) : applyRow(before, row, lane)
      assertValidPriceTerm(after)
      const others = [...this.#lane(lane).values()].filter((other) => other.id !== after.id && doOverlap(other, after))
      // Prices of contracts are not ended here, because they end only with their contracts.
      const ended =
        row.values.endPrevious === true
          ? others.filter((other) => other.contractId === null && other.effectiveDate < after.effectiveDate)
          : []
      const [other] = others.filter((each) => !ended.includes(each))
      if (other !== undefined) throw createOverlapProblem(other, after)
      const day = addDays(after.effectiveDate, -1)
      const now = ended.map((other) => this.#ended(other, day))
      for (const price of [...now, after]) this.#lane(lane).set(price.id, price)
      this.#meant.set(after.id, row.place)
      return {
        id: after.id,
        made: before === null ? after : null,
        changed: this.#changes(before === null ? now : [...now, after]),
      }
    } catch (error) {
      if (error instanceof Problem) return error
      throw error
    }
  }

  /** Ends a price. If an earlier row created the price, it is not stored yet, so this method changes it in place. */
  #ended(price: Price, expirationDate: string): Price {
    return this.#stored.has(price.id) ? { ...price, expirationDate } : Object.assign(price, { expirationDate })
  }

  #meantBy({ values }: PriceSyncRow, keyed: Price | null, lane: prices.PriceLane): Price | null {
    const stored = keyed ?? (this.#findsAlike ? this.#alike(values, lane) : undefined)
    if (stored === undefined) return null
    const before = this.#meant.get(stored.id)
    if (before !== undefined) throw createDuplicateRowProblem(before)
    return this.#lane(stored).get(stored.id) ?? stored
  }

  #alike({ externalId = null, minQuantity = 0, effectiveDate }: PriceRow, lane: prices.PriceLane): Price | undefined {
    return [...this.#lane(lane).values()].find(
      (price) =>
        price.minQuantity === minQuantity &&
        price.effectiveDate === effectiveDate &&
        (externalId === null || price.externalId === null),
    )
  }

  #made(whole: PlacedRow['whole'], lane: prices.PriceLane): Price {
    const part = this.#parts.get(lane.partId)
    if (part?.archivedAt != null) throw conflict('archived', `Cannot add a price: ${part.sku} is archived.`)
    if (whole === null) throw new Error('Expected an existing price not to be created again.')
    const { endPrevious: _, ...own } = whole
    return prices.make(this.#call, { ...own, ...lane })
  }

  /** Returns the changes of stored prices. Omits prices that this request creates. */
  #changes(after: readonly Price[]): RowChange<Price>[] {
    return after.flatMap((price) => {
      const before = this.#stored.get(price.id)
      return before === undefined ? [] : [{ before, after: price }]
    })
  }
}

/** Returns the price after the fields of the row are applied. */
function applyRow(before: Price, { values, given }: PriceSyncRow, lane: prices.PriceLane): Price {
  const fixed = (['partId', 'vendorId', 'communityId', 'planId'] as const).filter(
    (field) => (field === 'partId' || given.has(field)) && lane[field] !== before[field],
  )
  if (fixed.length > 0) {
    throw conflict(
      'fixed',
      `Cannot change ${formatList(fixed)} of the price. End the price and add a new price instead.`,
      {
        errors: fixed.map((field) => ({ pointer: `/${field}`, code: 'fixed', message: 'cannot be changed' })),
      },
    )
  }
  const own = Object.entries(values).filter(([field]) => given.has(field) && field in before)
  const after: Price = { ...before, ...Object.fromEntries(own) }
  if (before.contractId !== null && !isDeepStrictEqual(before, after))
    throw conflict(
      'fixed',
      'Cannot change the price: it belongs to a contract. Revise or terminate the contract instead.',
    )
  return after
}

/** Returns whether two prices of a lane have the same minimum quantity and overlap in time. */
function doOverlap(one: Price, other: Price): boolean {
  return (
    one.minQuantity === other.minQuantity &&
    one.effectiveDate <= (other.expirationDate ?? FOREVER) &&
    other.effectiveDate <= (one.expirationDate ?? FOREVER)
  )
}

const FOREVER = '9999-12-31'

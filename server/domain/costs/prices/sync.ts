import { isDeepStrictEqual } from 'node:util'
import type { Part, Price, PriceRow, PricesSync } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { conflict, invalid, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import type { Changed } from '../../../platform/resources/resource.ts'
import { findKeyed, known as idsOf, meantBy } from '../../../platform/resources/row-keys.ts'
import {
  type AskedRow,
  archived,
  type Outcome,
  refusedAs,
  type Sync,
  sameAs,
} from '../../../platform/resources/sync.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { formatList, formatNumber } from '../../../platform/values/format.ts'
import * as parts from '../parts/queries.ts'
import { assertPlausible, inTheWay } from './price.ts'
import * as prices from './queries.ts'

type AskedPrice = AskedRow<PriceRow>

/** The maximum number of prices read for a thousand rows: ten times those of a price book after ten years. */
const MOST_READ = 20_000

/**
 * Syncs prices from an external system. Each row is treated like a call of addPrice or updatePrice, one after the
 * other.
 */
export function priceSync(match: PricesSync['match']): Sync<'PriceRow', Price> {
  return {
    schema: 'PriceRow',
    keysOf: (values) =>
      values.id === undefined && values.externalId == null
        ? { effectiveDate: keyOf(values) }
        : { id: values.id, externalId: values.externalId },
    insertAll: prices.insertAll,
    updateAll: prices.updateAll,

    async decide(call, rows) {
      const keyed = await findKeyed(call, 'prices', ['externalId'], rows)
      // Every change of a price locks its part, so the prices read below do not change.
      const found = await parts.lockAll(call, {
        ids: [
          ...(await prices.findAll(call, keyed)).map(({ partId }) => partId),
          ...rows.flatMap(({ values }) => values.partId ?? []),
        ],
        skus: rows.flatMap(({ values }) => values.sku ?? []),
      })
      const book = new PriceBook(call, found, match === undefined)
      const meant = meantByKey(rows, await prices.findAll(call, keyed), match)
      const wanted = rows.map((row, i) => refusedAs(() => book.wantedOf(row, meant[i] ?? null)))
      const lanes = wanted.flatMap((each) => (each instanceof Problem || each.lane === null ? [] : [each.lane]))
      const near = await prices.idsIn(
        call,
        [...new Map(lanes.map((lane) => [laneKey(lane), lane])).values()],
        MOST_READ + 1,
      )
      if (near.length > MOST_READ)
        throw conflict(
          'limit_reached',
          `The parts of these rows have more than ${formatNumber(MOST_READ)} prices for the same places and plans. Send fewer rows.`,
        )
      book.add(await prices.findAll(call, [...new Set([...near, ...keyed])]))
      const known = {
        vendorId: await idsOf(call, 'vendors', named(rows, 'vendorId')),
        communityId: await idsOf(call, 'communities', named(rows, 'communityId')),
        planId: await idsOf(call, 'plans', named(rows, 'planId')),
      }
      return wanted.map((each) => {
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

/** Returns the price that each row names by one of its keys; null if it has no key or no price matches. */
function meantByKey(
  rows: readonly AskedPrice[],
  found: readonly Price[],
  match: PricesSync['match'],
): (Price | Problem | null)[] {
  if (match !== undefined) return meantBy(rows, found, match)
  const byExternalId = new Map(found.map((price) => [price.externalId, price]))
  return rows.map(({ values: { id, externalId } }) => {
    if (id !== undefined) return invalid([{ pointer: '/id', code: 'match', message: 'requires match to be id' }])
    const own = externalId == null ? undefined : byExternalId.get(externalId)
    return own?.archivedAt == null ? (own ?? null) : archived()
  })
}

/** A row that is being applied to the price book. */
interface Wanted {
  readonly row: AskedPrice
  /** The price that the row names by a key. */
  readonly before: Price | null
  /** The validated fields of a new price; null for an existing one. */
  readonly whole: Checked['PriceCreate'] | null
  /** Where the price belongs; null if the row names no existing part. */
  readonly lane: prices.Lane | null
}

/** Returns where the row's price belongs. An existing price stays where it is, unless the row moves it. */
function laneOf({ values, given }: AskedPrice, before: Price | null, part: Part): prices.Lane {
  const { vendorId = before?.vendorId ?? '', communityId = null, planId = null } = values
  return {
    partId: part.id,
    vendorId,
    communityId: before === null || given.has('communityId') ? communityId : before.communityId,
    planId: before === null || given.has('planId') ? planId : before.planId,
  }
}

function named(rows: readonly AskedPrice[], field: 'vendorId' | 'communityId' | 'planId'): string[] {
  return rows.flatMap(({ values }) => values[field] ?? [])
}

/** Returns what distinguishes a price without IDs from the others of its part. */
function keyOf({ partId, sku, minQuantity = 0, effectiveDate, ...values }: PriceRow): string {
  const { vendorId, communityId = null, planId = null } = values
  return JSON.stringify([partId ?? null, sku ?? null, vendorId, communityId, planId, minQuantity, effectiveDate])
}

function laneKey({ partId, vendorId, communityId, planId }: prices.Lane): string {
  return JSON.stringify([partId, vendorId, communityId, planId])
}

/** The affected prices, as the rows change them one after the other. */
class PriceBook {
  readonly #call: WriteCall
  readonly #parts: ReadonlyMap<string, Part>
  readonly #bySku: ReadonlyMap<string, Part>
  /** Whether a row without a key matches the price with the same reach and date. */
  readonly #findsAlike: boolean
  readonly #stored = new Map<string, Price>()
  /** The active prices by lane, in their current state. */
  readonly #lanes = new Map<string, Map<string, Price>>()
  /** The row number that matched each price. */
  readonly #meant = new Map<string, number>()

  constructor(call: WriteCall, found: readonly Part[], findsAlike: boolean) {
    this.#call = call
    this.#parts = new Map(found.map((part) => [part.id, part]))
    this.#bySku = new Map(found.filter(({ archivedAt }) => archivedAt === null).map((part) => [part.sku, part]))
    this.#findsAlike = findsAlike
  }

  add(stored: readonly Price[]): void {
    for (const price of stored) {
      this.#stored.set(price.id, price)
      if (price.archivedAt === null) this.#lane(price).set(price.id, price)
    }
  }

  #lane(of: prices.Lane): Map<string, Price> {
    const key = laneKey(of)
    const lane = this.#lanes.get(key) ?? new Map<string, Price>()
    this.#lanes.set(key, lane)
    return lane
  }

  wantedOf(row: AskedPrice, before: Price | Problem | null): Wanted | Problem {
    if (before instanceof Problem) return before
    const { id: _id, partId: _part, sku: _sku, ...values } = row.values
    const part = this.#partOf(row.values, before)
    const whole = before === null ? rowChecker(this.#call, 'PriceCreate')({ ...values }) : null
    return { row, before, whole, lane: part === null ? null : laneOf(row, before, part) }
  }

  /** Returns the part that the row names or whose price it names; null if there is none. */
  #partOf({ partId, sku }: PriceRow, before: Price | null): Part | null {
    const named = partId ?? (sku === undefined ? before?.partId : undefined)
    if (named === undefined && sku === undefined)
      throw invalid([{ pointer: '/partId', code: 'required', message: 'is required unless sku is set' }])
    const part = (named === undefined ? this.#bySku.get(sku ?? '') : this.#parts.get(named)) ?? null
    if (part === null || partId === undefined || sku === undefined || part.sku === sku) return part
    throw invalid([{ pointer: '/sku', code: 'part', message: `must be ${part.sku}, the SKU of partId, or omitted` }])
  }

  /** Returns the outcome of the row. Its changes affect the rows after it. */
  apply({ row, before: keyed, whole }: Wanted, lane: prices.Lane): Outcome<Price> | Problem {
    try {
      const before = this.#meantBy(row, keyed, lane)
      const after = before === null ? this.#made(whole, lane) : changed(before, row, lane)
      assertPlausible(after)
      const others = [...this.#lane(lane).values()].filter((other) => other.id !== after.id && overlap(other, after))
      // A contract's price ends only with its contract.
      const ended =
        row.values.endPrevious === true
          ? others.filter((other) => other.contractId === null && other.effectiveDate < after.effectiveDate)
          : []
      const [other] = others.filter((each) => !ended.includes(each))
      if (other !== undefined) throw inTheWay(other, after)
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

  /** Ends a price. One that an earlier row created is not stored yet, so it is changed in place. */
  #ended(price: Price, expirationDate: string): Price {
    return this.#stored.has(price.id) ? { ...price, expirationDate } : Object.assign(price, { expirationDate })
  }

  #meantBy({ values }: AskedPrice, keyed: Price | null, lane: prices.Lane): Price | null {
    const stored = keyed ?? (this.#findsAlike ? this.#alike(values, lane) : undefined)
    if (stored === undefined) return null
    const before = this.#meant.get(stored.id)
    if (before !== undefined) throw sameAs(before)
    return this.#lane(stored).get(stored.id) ?? stored
  }

  #alike({ externalId = null, minQuantity = 0, effectiveDate }: PriceRow, lane: prices.Lane): Price | undefined {
    return [...this.#lane(lane).values()].find(
      (price) =>
        price.minQuantity === minQuantity &&
        price.effectiveDate === effectiveDate &&
        (externalId === null || price.externalId === null),
    )
  }

  #made(whole: Wanted['whole'], lane: prices.Lane): Price {
    const part = this.#parts.get(lane.partId)
    if (part?.archivedAt != null) throw conflict('archived', `Cannot add a price: ${part.sku} is archived.`)
    if (whole === null) throw new Error('Expected an existing price not to be created again.')
    const { endPrevious: _, ...own } = whole
    return prices.make(this.#call, { ...own, ...lane })
  }

  /**
   * Returns the prices as changes of stored rows. A price that this request creates is not stored, so it is not a
   * change.
   */
  #changes(after: readonly Price[]): Changed<Price>[] {
    return after.flatMap((price) => {
      const before = this.#stored.get(price.id)
      return before === undefined ? [] : [{ before, after: price }]
    })
  }
}

/** Returns the price with the fields that the row sends. */
function changed(before: Price, { values, given }: AskedPrice, lane: prices.Lane): Price {
  const fixed = (['partId', 'vendorId', 'communityId', 'planId'] as const).filter(
    (field) => (field === 'partId' || given.has(field)) && lane[field] !== before[field],
  )
  if (fixed.length > 0) {
    throw conflict('fixed', `Cannot change ${formatList(fixed)} of the price. End it and add another price instead.`, {
      errors: fixed.map((field) => ({ pointer: `/${field}`, code: 'fixed', message: 'cannot be changed' })),
    })
  }
  const own = Object.entries(values).filter(([field]) => given.has(field) && field in before)
  const after: Price = { ...before, ...Object.fromEntries(own) }
  if (before.contractId !== null && !isDeepStrictEqual(before, after))
    throw conflict('fixed', 'The price belongs to a contract. Revise or terminate the contract instead.')
  return after
}

/** Returns whether two prices of a lane overlap in time for the same minimum quantity. */
function overlap(one: Price, other: Price): boolean {
  return (
    one.minQuantity === other.minQuantity &&
    one.effectiveDate <= (other.expirationDate ?? FOREVER) &&
    other.effectiveDate <= (one.expirationDate ?? FOREVER)
  )
}

const FOREVER = '9999-12-31'

import type { Part, Price, PriceSync } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../http/call.ts'
import { conflict, invalid, Problem, unknownReference } from '../../http/problem.ts'
import type { Changed } from '../../resources/resource.ts'
import { known as idsOf } from '../../resources/row-keys.ts'
import { type AskedRow, archived, type Outcome, type Sync, sameAs } from '../../resources/sync.ts'
import { addDays } from '../../values/calendar.ts'
import * as parts from '../parts/queries.ts'
import { assertPlausible } from './price.ts'
import * as prices from './queries.ts'

type PriceRow = AskedRow<PriceSync>

/** The prices that are read to decide about a thousand rows; ten times what a price book of a decade has for them. */
const MOST_READ = 20_000

export const priceSync: Sync<'PriceSync', Price> = {
  schema: 'PriceSync',
  keysOf: (values) =>
    values.externalId == null ? { effectiveDate: keyOf(values) } : { externalId: values.externalId },
  insertAll: prices.insertAll,
  updateAll: prices.updateAll,

  async decide(call, rows) {
    // Everything that adds or changes a price locks its part, so what is read below stays as it is.
    const found = await parts.lockAll(call, {
      ids: rows.flatMap(({ values }) => values.partId ?? []),
      skus: rows.flatMap(({ values }) => values.sku ?? []),
    })
    const book = new PriceBook(call, found)
    const meant = rows.map(({ values }) => book.partOf(values))
    const lanes = rows.flatMap(({ values }, i) => {
      const part = meant[i]
      return part == null || part instanceof Problem ? [] : [laneOf(values, part)]
    })
    const ids = await prices.idsIn(
      call,
      [...new Map(lanes.map((lane) => [laneKey(lane), lane])).values()],
      rows.flatMap(({ values }) => values.externalId ?? []),
      MOST_READ + 1,
    )
    if (ids.length > MOST_READ)
      throw conflict(
        'limit_reached',
        `These parts have more than ${MOST_READ} prices for the same reach; send fewer rows.`,
      )
    book.add(await prices.findAll(call, ids))
    const known = {
      vendorId: await idsOf(call, 'vendors', named(rows, 'vendorId')),
      communityId: await idsOf(call, 'communities', named(rows, 'communityId')),
      planId: await idsOf(call, 'plans', named(rows, 'planId')),
    }
    return rows.map((row, i) => {
      const { values } = row
      const part = meant[i] ?? null
      if (part instanceof Problem) return part
      const fields = (['vendorId', 'communityId', 'planId'] as const).filter(
        (field) => values[field] != null && !known[field].has(values[field]),
      )
      if (part !== null && fields.length === 0) return book.apply(row, laneOf(values, part))
      const unknown = part !== null ? fields : [values.partId === undefined ? 'sku' : 'partId', ...fields]
      return unknownReference(unknown.map((field) => `/${field}`))
    })
  },
}

/** Where the row's price belongs. */
function laneOf({ vendorId, communityId = null, planId = null }: PriceSync, part: Part): prices.Lane {
  return { partId: part.id, vendorId, communityId, planId }
}

function named(rows: readonly PriceRow[], field: 'vendorId' | 'communityId' | 'planId'): string[] {
  return rows.flatMap(({ values }) => values[field] ?? [])
}

/** What tells a price without an external id from the others of its part. */
function keyOf({ partId, sku, minQuantity = 0, effectiveDate, ...values }: PriceSync): string {
  const { vendorId, communityId = null, planId = null } = values
  return JSON.stringify([partId ?? null, sku ?? null, vendorId, communityId, planId, minQuantity, effectiveDate])
}

function laneKey({ partId, vendorId, communityId, planId }: prices.Lane): string {
  return JSON.stringify([partId, vendorId, communityId, planId])
}

/** The prices concerned, as the rows change them one after the other. */
class PriceBook {
  readonly #call: WriteCall
  readonly #parts: ReadonlyMap<string, Part>
  readonly #bySku: ReadonlyMap<string, Part>
  readonly #stored = new Map<string, Price>()
  readonly #byExternalId = new Map<string, Price>()
  /** The prices that count, by lane, as they are by now. */
  readonly #lanes = new Map<string, Map<string, Price>>()
  /** Which row means which price. */
  readonly #meant = new Map<string, number>()

  constructor(call: WriteCall, found: readonly Part[]) {
    this.#call = call
    this.#parts = new Map(found.map((part) => [part.id, part]))
    this.#bySku = new Map(found.filter(({ archivedAt }) => archivedAt === null).map((part) => [part.sku, part]))
  }

  add(stored: readonly Price[]): void {
    for (const price of stored) {
      this.#stored.set(price.id, price)
      if (price.externalId !== null) this.#byExternalId.set(price.externalId, price)
      if (price.archivedAt === null) this.#lane(price).set(price.id, price)
    }
  }

  #lane(of: prices.Lane): Map<string, Price> {
    const key = laneKey(of)
    const lane = this.#lanes.get(key) ?? new Map<string, Price>()
    this.#lanes.set(key, lane)
    return lane
  }

  /** The part that the row names; null if there is none. */
  partOf({ partId, sku }: PriceSync): Part | Problem | null {
    if (partId === undefined && sku === undefined)
      return invalid([{ pointer: '/partId', code: 'required', message: 'is required, or a sku' }])
    const part = (partId === undefined ? this.#bySku.get(sku ?? '') : this.#parts.get(partId)) ?? null
    if (part === null || partId === undefined || sku === undefined || part.sku === sku) return part
    return invalid([{ pointer: '/sku', code: 'part', message: `partId names ${part.sku}` }])
  }

  /** What the row comes to; what it changes counts for the rows after it. */
  apply(row: PriceRow, lane: prices.Lane): Outcome<Price> | Problem {
    try {
      const before = this.#meantBy(row, lane)
      const after = before === null ? this.#made(row.values, lane) : changed(before, row, lane)
      assertPlausible(after)
      const others = [...this.#lane(lane).values()].filter((other) => other.id !== after.id && overlap(other, after))
      const ended = row.values.endPrevious ? others.filter((other) => other.effectiveDate < after.effectiveDate) : []
      const [inTheWay] = others.filter((other) => !ended.includes(other))
      if (inTheWay !== undefined)
        throw conflict(
          'period_taken',
          `The vendor's price ${inTheWay.id} holds on some of the same days, for the same reach.`,
        )
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

  /** One that an earlier row makes is not stored yet, so it is simply made otherwise. */
  #ended(price: Price, expirationDate: string): Price {
    return this.#stored.has(price.id) ? { ...price, expirationDate } : Object.assign(price, { expirationDate })
  }

  #meantBy({ values }: PriceRow, lane: prices.Lane): Price | null {
    const { externalId = null, minQuantity = 0, effectiveDate } = values
    const own = externalId === null ? undefined : this.#byExternalId.get(externalId)
    const alike = [...this.#lane(lane).values()].find(
      (price) =>
        price.minQuantity === minQuantity &&
        price.effectiveDate === effectiveDate &&
        (externalId === null || price.externalId === null),
    )
    const stored = own ?? alike
    if (stored === undefined) return null
    if (stored.archivedAt !== null) throw archived()
    const before = this.#meant.get(stored.id)
    if (before !== undefined) throw sameAs(before)
    return this.#lane(stored).get(stored.id) ?? stored
  }

  #made(values: PriceSync, lane: prices.Lane): Price {
    const { sku: _, endPrevious: __, minQuantity = 0, preferred = false, ...own } = values
    const part = this.#parts.get(lane.partId)
    if (part?.archivedAt != null) throw conflict('archived', `${part.sku} is archived.`)
    return prices.make(this.#call, { ...own, ...lane, minQuantity, preferred })
  }

  /** As changes of what is stored. One that this request makes is not stored, and not changed either. */
  #changes(after: readonly Price[]): Changed<Price>[] {
    return after.flatMap((price) => {
      const before = this.#stored.get(price.id)
      return before === undefined ? [] : [{ before, after: price }]
    })
  }
}

/** The price as the row changes it: in the fields that were sent. */
function changed(before: Price, { values, given }: PriceRow, lane: prices.Lane): Price {
  const fixed = (['partId', 'vendorId', 'communityId', 'planId'] as const).filter(
    (field) => (field === 'partId' || given.has(field)) && lane[field] !== before[field],
  )
  if (fixed.length > 0) {
    throw conflict('fixed', `The price ${before.id} keeps its ${fixed.join(', ')}; end it and add another one.`, {
      errors: fixed.map((field) => ({ pointer: `/${field}`, code: 'fixed', message: 'cannot change' })),
    })
  }
  const own = Object.entries(values).filter(([field]) => given.has(field) && field in before)
  return { ...before, ...Object.fromEntries(own) }
}

/** Whether two prices of a lane hold on some of the same days, for the same quantity. */
function overlap(one: Price, other: Price): boolean {
  return (
    one.minQuantity === other.minQuantity &&
    one.effectiveDate <= (other.expirationDate ?? FOREVER) &&
    other.effectiveDate <= (one.expirationDate ?? FOREVER)
  )
}

const FOREVER = '9999-12-31'

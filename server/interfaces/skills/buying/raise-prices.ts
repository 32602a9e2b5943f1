import Big from 'big.js'
import { sql } from 'kysely'
import type { PriceRow, RaisePricesInput, RaisePricesResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { problem, validationFailed } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createReportFooter } from '../frame/report.ts'

/** The maximum number of prices in one import operation. */
const MAX_PRICES = 1000
const DECIMALS = 4

interface CurrentPrice {
  id: string
  part: string
  partId: string
  vendorId: string
  vendor: string
  communityId: string | null
  planId: string | null
  unitPrice: number
  minQuantity: number
  preferred: boolean
  note: string | null
  effectiveDate: string
  expirationDate: string | null
}

/**
 * Raises prices by a percentage from a given date. Each price that is valid on this date then ends on the day before,
 * and a new price begins. The new price has the same community, plan, minimum quantity, and last valid day.
 */
export async function raisePrices(input: RaisePricesInput, call: Call): Promise<RaisePricesResult> {
  const { vendorId, costCodeId, percent, effectiveDate } = input
  if (vendorId === undefined && costCodeId === undefined)
    throw validationFailed([
      { pointer: '/vendorId', code: 'required', message: 'is required unless costCodeId is set' },
    ])
  const prices = await findPricesValidOn(call, input)
  if (prices.length > MAX_PRICES)
    throw problem(
      'too_much_work',
      `Cannot raise more than ${MAX_PRICES} prices at once. Limit the increase by cost code or community.`,
    )
  const changed = prices.map((price) => ({ ...price, newUnitPrice: raise(price.unitPrice, percent) }))
  if (changed.length > 0) {
    const rows = changed.flatMap((price) => toRows(price, effectiveDate))
    // An old price and its new price are two rows, so a large change needs several imports.
    for (let from = 0; from < rows.length; from += MAX_PRICES)
      await call.operation('syncPrices', { rows: rows.slice(from, from + MAX_PRICES), match: 'id' })
  }
  return {
    ...{ percent, effectiveDate, changedCount: changed.length },
    prices: changed.map(
      ({ part, partId, vendor, vendorId, communityId, planId, minQuantity, unitPrice, newUnitPrice }) => ({
        ...{ part, partId, vendor, vendorId, communityId, planId, minQuantity, unitPrice, newUnitPrice },
      }),
    ),
    ...createReportFooter(call, {
      unknown: ['Contract prices are excluded; to change them, use draftContractRevision.'],
    }),
    currency: call.currency,
  }
}

function toRows(price: CurrentPrice & { newUnitPrice: number }, effectiveDate: string): PriceRow[] {
  const { partId, vendorId, communityId, planId, minQuantity, preferred, note, expirationDate } = price
  // A price that begins on this date is changed itself, because it has no earlier days.
  if (price.effectiveDate === effectiveDate) return [{ id: price.id, unitPrice: price.newUnitPrice }]
  const successor = {
    partId,
    vendorId,
    communityId,
    planId,
    minQuantity,
    preferred,
    note,
    expirationDate,
    effectiveDate,
  }
  return [
    { id: price.id, expirationDate: addDays(effectiveDate, -1) },
    { ...successor, unitPrice: price.newUnitPrice },
  ]
}

function raise(unitPrice: number, percent: number): number {
  return new Big(unitPrice).times(new Big(100).plus(percent)).div(100).round(DECIMALS).toNumber()
}

async function findPricesValidOn(
  { db, organizationId }: Call,
  { vendorId, costCodeId, communityId, effectiveDate }: RaisePricesInput,
): Promise<CurrentPrice[]> {
  const { rows } = await sql<CurrentPrice>`
    with recursive "codes" as (
      select "id", 1 as "depth" from "costCodes" where "organizationId" = ${organizationId} and "id" = ${costCodeId ?? null}
      union all
      select c."id", b."depth" + 1 from "codes" b
      join "costCodes" c on c."organizationId" = ${organizationId} and c."parentId" = b."id" where b."depth" < 10
    )
    select p."id", a."sku" || ' ' || a."name" as "part", p."partId", p."vendorId", v."companyName" as "vendor", p."communityId",
      p."planId", p."unitPrice", p."minQuantity", p."preferred", p."note", p."effectiveDate", p."expirationDate"
    from "prices" p
    join "parts" a on a."organizationId" = p."organizationId" and a."id" = p."partId" and a."archivedAt" is null
    join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
    where p."organizationId" = ${organizationId} and p."archivedAt" is null and p."contractId" is null
      and p."effectiveDate" <= ${effectiveDate}::date and coalesce(p."expirationDate", 'infinity') >= ${effectiveDate}::date
      and (${vendorId ?? null}::text is null or p."vendorId" = ${vendorId ?? null})
      and (${costCodeId ?? null}::text is null or a."costCodeId" in (select "id" from "codes"))
      and (${communityId ?? null}::text is null or p."communityId" = ${communityId ?? null})
    order by a."sku", p."id" limit ${MAX_PRICES + 1}`.execute(db)
  return rows
}

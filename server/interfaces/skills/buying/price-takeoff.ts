import { sql } from 'kysely'
import type { PriceTakeoffResult, TakeoffPrice, UnpricedLine } from '../../../../client/contract.gen.ts'
import { computeCosting } from '../../../domain/costs/budgets/costing.ts'
import type { EstimatedLine } from '../../../domain/costs/budgets/estimate-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { sum } from '../../../platform/values/money.ts'
import { buildHomeFromPlan } from '../frame/home-from-plan.ts'
import { createReportFooter, getToday, selectSentences } from '../frame/report.ts'

/**
 * The maximum number of lines. A home needs about two thousand. Longer takeoffs are rejected, because the total of a
 * partial takeoff would be wrong.
 */
const MAX_LINES = 5000

export async function priceTakeoff(input: Checked['PriceTakeoffInput'], call: Call): Promise<PriceTakeoffResult> {
  const { communityId, asOf: on = getToday(call) } = input
  const { plan, revision, house, selected } = await buildHomeFromPlan(call, input)
  const of = new Set(selected.map(({ id }) => id))
  const { base, selections } = await computeCosting(call, house, { on, base: true, selected, of, also: [] })
  const lines = [...base.lines, ...selections.flatMap((each) => each.lines)]
  const unpriced = [...base.unpriced, ...selections.flatMap((each) => each.unpriced)]
  if (lines.length + unpriced.length > MAX_LINES)
    throw problem(
      'too_much_work',
      `The takeoff has more than ${MAX_LINES} lines. Price the takeoff with fewer options.`,
    )
  const origins = await findPriceOrigins(call, lines)
  const incomplete = selections.filter((each) => each.unpriced.length > 0).length
  return {
    ...{ planId: plan.id, plan: `${plan.code} ${plan.name}`, revision, elevation: house.elevation, communityId, on },
    lines: lines.map((line) => toPricedLine(line, origins.get(line.priceId ?? line.contractId ?? ''))),
    unpriced: unpriced.map(toUnpricedLine),
    total: sum(lines.map(({ amount }) => amount)),
    ...createReportFooter(call, {
      unknown: selectSentences(
        unpriced.length > 0 && `Lines without a price are not included in the total: ${unpriced.length}.`,
        incomplete > 0 && `Options with unpriced lines are not included in the total: ${incomplete}.`,
      ),
    }),
    currency: call.currency,
  }
}

interface PriceOrigin {
  id: string
  source: 'plan' | 'community' | 'default' | 'lump_sum'
  vendorId: string
  vendor: string
  expirationDate: string | null
}

/** Reads the vendor and the last valid day of each price and lump sum in one statement. */
async function findPriceOrigins(
  { db, organizationId }: Call,
  lines: readonly EstimatedLine[],
): Promise<ReadonlyMap<string, PriceOrigin>> {
  const ids = [...new Set(lines.flatMap(({ priceId, contractId }) => priceId ?? contractId ?? []))]
  if (ids.length === 0) return new Map()
  const { rows } = await sql<PriceOrigin>`
    select p."id", case when p."planId" is not null then 'plan' when p."communityId" is not null then 'community'
      else 'default' end as "source", p."vendorId", v."companyName" as "vendor", p."expirationDate"
    from "prices" p join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
    where p."organizationId" = ${organizationId} and p."id" = any(${ids}::text[])
    union all
    select c."id", 'lump_sum', c."vendorId", v."companyName", c."expirationDate"
    from "contracts" c join "vendors" v on v."organizationId" = c."organizationId" and v."id" = c."vendorId"
    where c."organizationId" = ${organizationId} and c."id" = any(${ids}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

function toPricedLine(line: EstimatedLine, origin: PriceOrigin | undefined): TakeoffPrice {
  const { takeoffLineId: lineId, optionSelectionId: optionId, isTakenOut, partId, scope } = line
  const { quantity, unit, unitCost: unitPrice, amount } = line
  const { source = 'amount', vendorId = null, vendor = null, expirationDate = null } = origin ?? {}
  return {
    ...{
      lineId,
      optionId,
      isTakenOut,
      partId,
      description: line.description ?? scope,
      scope,
      quantity,
      unit,
      unitPrice,
      amount,
    },
    ...{ source, vendorId, vendor, expirationDate },
  }
}

function toUnpricedLine({ optionSelectionId, lineId, partId, sku, name, scope, quantity, unit, issue }: UnpricedLine) {
  return { lineId, optionId: optionSelectionId, partId, part: `${sku} ${name}`, scope, quantity, unit, issue }
}

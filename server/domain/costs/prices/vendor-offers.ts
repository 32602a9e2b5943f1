import { sql } from 'kysely'
import type { PriceIssue } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { explainMissingPrice, type PriceCandidate } from './price.ts'
import * as prices from './queries.ts'

/** A part and the quantity of it that a home needs. */
export interface NeededPart {
  readonly partId: string
  readonly quantity: number
  readonly communityId: string
  readonly planId: string | null
}

export interface VendorQuery {
  readonly vendorId: string
  /** The contract whose prices take precedence over other prices. */
  readonly contractId: string | null
  readonly on: string
}

/** A price of the vendor, or the reason why there is none. */
export type PriceOffer = { priceId: string; unitPrice: number; issue: null } | { priceId: null; issue: PriceIssue }

/**
 * Returns the vendor's price for each line, in the order of the lines. Executes one statement. If lines have no price,
 * executes two more to find the reasons. The vendor may be inactive, because issuing the order checks the vendor's
 * status.
 */
export async function findVendorOffers(
  tenant: Tenant,
  lines: readonly NeededPart[],
  { vendorId, contractId, on }: VendorQuery,
): Promise<PriceOffer[]> {
  if (lines.length === 0) return []
  const { db, organizationId } = tenant
  const { rows } = await sql<{ priceId: string | null; unitPrice: number }>`
    select chosen."id" as "priceId", chosen."unitPrice"
    from unnest(${lines.map((line) => line.partId)}::text[], ${lines.map((line) => line.quantity)}::numeric[],
        ${lines.map((line) => line.communityId)}::text[], ${lines.map((line) => line.planId)}::text[])
      with ordinality as line ("partId", "quantity", "communityId", "planId", "place")
    left join lateral (
      select p."id", p."unitPrice" from "prices" p
      where p."organizationId" = ${organizationId} and p."partId" = line."partId" and p."archivedAt" is null
        and p."vendorId" = ${vendorId} and p."effectiveDate" <= ${on} and coalesce(p."expirationDate" >= ${on}, true)
        and p."minQuantity" <= line."quantity"
        and (p."communityId" is null or p."communityId" = line."communityId")
        and (p."planId" is null or p."planId" = line."planId")
      order by coalesce(p."contractId" = ${contractId}, false) desc, p."planId" is null, p."communityId" is null,
        p."preferred" desc, p."unitPrice", p."id"
      limit 1
    ) as chosen on true
    order by line."place"`.execute(db)
  const unpriced = lines.filter((_, i) => rows[i]?.priceId == null).map(({ partId }) => partId)
  const candidates =
    unpriced.length === 0
      ? new Map<string, readonly PriceCandidate[]>()
      : await prices.findPriceCandidates(tenant, unpriced, vendorId)
  return lines.map(({ partId, quantity, communityId, planId }, i) => {
    const row = rows[i]
    if (row?.priceId != null) return { priceId: row.priceId, unitPrice: row.unitPrice, issue: null }
    const own = (candidates.get(partId) ?? []).map((one: PriceCandidate) => ({ ...one, isVendorActive: true }))
    return { priceId: null, issue: explainMissingPrice(own, { communityId, planId, on }, quantity) }
  })
}

import type { Coverage, WarrantyRequest } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, lock, insert, update, archive } = defineResource({ schema: 'WarrantyTerm', long: ['text'] })

export const coverages = defineResource({ schema: 'Coverage' })

/**
 * Returns the coverage of an issue on a date; undefined if there is none. The most specific coverage applies: first
 * that of the part, then that of the trade, then a general coverage.
 */
export async function findWarrantyCoverage(
  call: Tenant,
  { homeId, partId, scope }: Pick<WarrantyRequest, 'homeId' | 'partId' | 'scope'>,
  date: string,
): Promise<Coverage | undefined> {
  const all = await coverages.findAllWith(call, { homeId: [homeId] })
  const inForce = all.filter(({ startDate, endDate }) => startDate <= date && date <= endDate)
  const trade = scope?.toLowerCase()
  const ranked = inForce.flatMap((coverage) => {
    const { scopes, partIds } = coverage
    if (partId !== null && partIds.includes(partId)) return [{ coverage, rank: 2 }]
    if (trade !== undefined && scopes.some((each) => each.toLowerCase() === trade)) return [{ coverage, rank: 1 }]
    return scopes.length === 0 && partIds.length === 0 ? [{ coverage, rank: 0 }] : []
  })
  // If several coverages are equally specific, the one that ends last applies.
  ranked.sort((a, b) => b.rank - a.rank || b.coverage.endDate.localeCompare(a.coverage.endDate))
  return ranked[0]?.coverage
}

import type { Coverage, WarrantyRequest } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, lock, insert, update, archive } = defineResource({ schema: 'WarrantyTerm', long: ['text'] })

export const coverages = defineResource({ schema: 'Coverage' })

/**
 * Returns the coverage that applies to an issue on a date. Of the coverages in force, the most specific applies: the
 * coverage of the part, then of the trade, then of everything. Returns undefined if no coverage applies.
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
  // Of equally specific coverages, the coverage that lasts longest applies.
  ranked.sort((a, b) => b.rank - a.rank || b.coverage.endDate.localeCompare(a.coverage.endDate))
  return ranked[0]?.coverage
}

import type { Contract, ContractLine } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../http/call.ts'
import type { Checked } from '../../http/checked.gen.ts'
import { invalid, unknownReference } from '../../http/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as parts from '../parts/queries.ts'
import { partFaults, termFaults, wholeLines } from './contract.ts'

type Terms = Pick<Contract, 'communityIds' | 'planIds' | 'effectiveDate' | 'expirationDate'> & {
  lines: readonly Checked['ContractLineInput'][]
}

/** The lines as stored, after everything that the terms name exists and they are consistent. */
export async function checkTerms(call: WriteCall, terms: Terms): Promise<ContractLine[]> {
  const { communityIds, planIds, lines } = terms
  const known = await parts.findAll(call, [...new Set(lines.map(({ partId }) => partId))])
  const partsById = new Map(known.map((part) => [part.id, part]))
  const unknown = [
    ...(await missing(communityIds, communities.findAll(call, communityIds), '/communityIds')),
    ...(await missing(planIds, plans.findAll(call, planIds), '/planIds')),
    ...lines.flatMap(({ partId }, i) => (partsById.has(partId) ? [] : [`/lines/${i}/partId`])),
  ]
  if (unknown.length > 0) throw unknownReference(unknown)
  const whole = wholeLines(lines, partsById)
  const faults = [...termFaults({ ...terms, lines: whole }), ...partFaults(whole, partsById)]
  if (faults.length > 0) throw invalid(faults)
  return whole
}

async function missing(ids: readonly string[], found: Promise<{ id: string }[]>, pointer: string): Promise<string[]> {
  const known = new Set((await found).map(({ id }) => id))
  return ids.flatMap((id, i) => (known.has(id) ? [] : [`${pointer}/${i}`]))
}

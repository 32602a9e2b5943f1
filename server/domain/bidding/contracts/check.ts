import type { Contract, LumpSumInput } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { assertInUse } from '../../costs/cost-codes/in-use.ts'
import * as options from '../../costs/options/queries.ts'
import * as parts from '../../costs/parts/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { partFaults, termFaults, wholeLines } from './contract.ts'
import { lumpSumFaults, wholeLumpSums } from './lump-sum.ts'

type Terms = Pick<
  Contract,
  'scope' | 'contractType' | 'communityIds' | 'planIds' | 'effectiveDate' | 'expirationDate'
> & {
  lines: readonly Checked['ContractLineInput'][]
  lumpSums: readonly LumpSumInput[]
}

/**
 * Returns the lines and lump sums as stored, after checking that every reference of the terms exists and that they are
 * consistent. `kept` contains the contract's current lump sums: their cost codes may be sent again even if archived
 * since.
 */
export async function checkTerms(
  call: WriteCall,
  terms: Terms,
  kept: Contract['lumpSums'] = [],
): Promise<Pick<Contract, 'lines' | 'lumpSums'>> {
  const { communityIds, planIds, lines, lumpSums } = terms
  const partsById = byId(await parts.findAll(call, distinct(lines.map(({ partId }) => partId))))
  const plansById = byId(
    await plans.findAll(call, distinct([...planIds, ...lumpSums.flatMap(({ planId }) => planId ?? [])])),
  )
  const optionIds = distinct(lumpSums.flatMap(({ optionId }) => optionId ?? []))
  const optionsById = byId(optionIds.length === 0 ? [] : await options.findAll(call, optionIds))
  const unknown = [
    ...missing(communityIds, byId(await communities.findAll(call, communityIds)), '/communityIds'),
    ...missing(planIds, plansById, '/planIds'),
    ...lines.flatMap(({ partId }, i) => (partsById.has(partId) ? [] : [`/lines/${i}/partId`])),
    ...lumpSums.flatMap(({ planId, optionId }, i) => [
      ...(planId == null || plansById.has(planId) ? [] : [`/lumpSums/${i}/planId`]),
      ...(optionId == null || optionsById.has(optionId) ? [] : [`/lumpSums/${i}/optionId`]),
    ]),
  ]
  if (unknown.length > 0) throw unknownReference(unknown)
  const before = new Set(kept.map(({ costCodeId }) => costCodeId))
  await assertInUse(
    call,
    lumpSums.flatMap(({ costCodeId }, i) =>
      costCodeId == null || before.has(costCodeId) ? [] : [{ pointer: `/lumpSums/${i}/costCodeId`, costCodeId }],
    ),
  )
  const isByTrade = lumpSums.some(({ costCodeId }) => costCodeId === undefined)
  const whole = {
    lines: wholeLines(lines, partsById),
    lumpSums: wholeLumpSums(lumpSums, isByTrade ? await scopes.defaultCostCode(call, terms.scope) : null),
  }
  const faults = [
    ...termFaults({ ...terms, ...whole }),
    ...partFaults(whole.lines, partsById),
    ...lumpSumFaults({ ...terms, ...whole }, plansById),
  ]
  if (faults.length > 0) throw invalid(faults)
  return whole
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

function missing(ids: readonly string[], known: ReadonlyMap<string, unknown>, pointer: string): string[] {
  return ids.flatMap((id, i) => (known.has(id) ? [] : [`${pointer}/${i}`]))
}

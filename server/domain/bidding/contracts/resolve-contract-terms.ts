import type { Contract, LumpSumInput } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { assertCostCodesInUse } from '../../costs/cost-codes/assert-cost-codes-in-use.ts'
import * as options from '../../costs/options/queries.ts'
import * as parts from '../../costs/parts/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { findPartErrors, findTermErrors, toStoredContractLines } from './contract.ts'
import { findLumpSumErrors, toStoredLumpSums } from './lump-sum.ts'

type ContractTerms = Pick<
  Contract,
  'scope' | 'contractType' | 'communityIds' | 'planIds' | 'effectiveDate' | 'expirationDate'
> & {
  lines: readonly Checked['ContractLineInput'][]
  lumpSums: readonly LumpSumInput[]
}

/**
 * Returns the lines and lump sums in the form in which they are stored. Throws if they refer to unknown records or are
 * inconsistent. `stored` contains the current lump sums of the contract. A request can send their cost codes again,
 * even if these codes have been archived.
 */
export async function resolveContractTerms(
  call: WriteCall,
  terms: ContractTerms,
  stored: Contract['lumpSums'] = [],
): Promise<Pick<Contract, 'lines' | 'lumpSums'>> {
  const { communityIds, planIds, lines, lumpSums } = terms
  const partsById = indexById(await parts.findAll(call, uniqueIds(lines.map(({ partId }) => partId))))
  const plansById = indexById(
    await plans.findAll(call, uniqueIds([...planIds, ...lumpSums.flatMap(({ planId }) => planId ?? [])])),
  )
  const optionIds = uniqueIds(lumpSums.flatMap(({ optionId }) => optionId ?? []))
  const optionsById = indexById(optionIds.length === 0 ? [] : await options.findAll(call, optionIds))
  const unknown = [
    ...findMissing(communityIds, indexById(await communities.findAll(call, communityIds)), '/communityIds'),
    ...findMissing(planIds, plansById, '/planIds'),
    ...lines.flatMap(({ partId }, i) => (partsById.has(partId) ? [] : [`/lines/${i}/partId`])),
    ...lumpSums.flatMap(({ planId, optionId }, i) => [
      ...(planId == null || plansById.has(planId) ? [] : [`/lumpSums/${i}/planId`]),
      ...(optionId == null || optionsById.has(optionId) ? [] : [`/lumpSums/${i}/optionId`]),
    ]),
  ]
  if (unknown.length > 0) throw unknownReference(unknown)
  const before = new Set(stored.map(({ costCodeId }) => costCodeId))
  await assertCostCodesInUse(
    call,
    lumpSums.flatMap(({ costCodeId }, i) =>
      costCodeId == null || before.has(costCodeId) ? [] : [{ pointer: `/lumpSums/${i}/costCodeId`, costCodeId }],
    ),
  )
  const isByTrade = lumpSums.some(({ costCodeId }) => costCodeId === undefined)
  const whole = {
    lines: toStoredContractLines(lines, partsById),
    lumpSums: toStoredLumpSums(lumpSums, isByTrade ? await scopes.findDefaultCostCode(call, terms.scope) : null),
  }
  const errors = [
    ...findTermErrors({ ...terms, ...whole }),
    ...findPartErrors(whole.lines, partsById),
    ...findLumpSumErrors({ ...terms, ...whole }, plansById),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  return whole
}

function uniqueIds(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}

function indexById<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

function findMissing(ids: readonly string[], known: ReadonlyMap<string, unknown>, pointer: string): string[] {
  return ids.flatMap((id, i) => (known.has(id) ? [] : [`${pointer}/${i}`]))
}

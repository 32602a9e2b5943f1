import type { Contract, FieldError, LumpSum, LumpSumInput, Plan } from '../../../../client/contract.gen.ts'
import { findElevationError } from '../../land/plans/plan.ts'
import { createPositionLineId, MAX_PRICES } from './contract.ts'

type LumpSumTerms = Pick<Contract, 'contractType' | 'communityIds' | 'planIds' | 'lumpSums'>

/** Returns an error for each invalid lump sum, or one error if this type of contract cannot have lump sums. */
export function findLumpSumErrors(
  { contractType, communityIds, planIds, lumpSums }: LumpSumTerms,
  plans: ReadonlyMap<string, Pick<Plan, 'elevations'>>,
): FieldError[] {
  if (contractType !== 'turnkey') {
    const message = `must be empty when contractType is ${contractType}`
    return lumpSums.length === 0 ? [] : [{ pointer: '/lumpSums', code: 'turnkey', message }]
  }
  const errors: FieldError[] = []
  if (planIds.length > 0) {
    const message = 'must be empty when contractType is turnkey; set the plans in lumpSums'
    errors.push({ pointer: '/planIds', code: 'turnkey', message })
  }
  const count = lumpSums.length * Math.max(1, communityIds.length)
  if (count > MAX_PRICES) {
    const message = `must not create more than ${MAX_PRICES} prices; these lump sums and communities would create ${count}`
    errors.push({ pointer: '/lumpSums', code: 'maximum', message })
  }
  const names = new Set<string>()
  const reaches = new Set<string>()
  for (const [i, lumpSum] of lumpSums.entries()) {
    const { lineId, planId, elevation, optionId } = lumpSum
    const reach = JSON.stringify([planId, elevation, optionId])
    const fault = (field: string, code: string, message: string) =>
      errors.push({ pointer: `/lumpSums/${i}${field}`, code, message })
    if (names.has(lineId)) fault('/lineId', 'unique', `must be unique; another lump sum has the lineId "${lineId}"`)
    if (reaches.has(reach))
      fault(
        planId === null ? '/optionId' : '/planId',
        'unique',
        'must be unique; another lump sum has the same planId, elevation, and optionId',
      )
    names.add(lineId)
    reaches.add(reach)
    for (const [field, code, message] of findPlaceErrors(lumpSum, plans)) fault(field, code, message)
  }
  return errors
}

function findPlaceErrors(
  { planId, elevation, optionId, amount }: LumpSum,
  plans: ReadonlyMap<string, Pick<Plan, 'elevations'>>,
): [string, string, string][] {
  if ((planId === null) === (optionId === null)) return [['', 'place', 'requires either planId or optionId']]
  const errors: [string, string, string][] = []
  if (elevation !== null) {
    const wrong =
      planId === null ? 'requires planId' : findElevationError(plans.get(planId)?.elevations ?? [], elevation)
    if (wrong !== null) errors.push(['/elevation', 'elevation', wrong])
  }
  if (planId !== null && amount < 0) errors.push(['/amount', 'minimum', 'must not be negative when planId is set'])
  return errors
}

/**
 * Returns the lump sums in the form in which they are stored. A lump sum without a lineId receives its position as ID,
 * and a lump sum without a cost code receives the cost code of the trade.
 */
export function toStoredLumpSums(lumpSums: readonly LumpSumInput[], costCodeOfTrade: string | null): LumpSum[] {
  const taken = new Set(lumpSums.map(({ lineId }) => lineId))
  return lumpSums.map((provided, i) => ({
    lineId: provided.lineId ?? createPositionLineId(i + 1, taken),
    planId: provided.planId ?? null,
    elevation: provided.elevation ?? null,
    optionId: provided.optionId ?? null,
    costCodeId: provided.costCodeId === undefined ? costCodeOfTrade : provided.costCodeId,
    description: provided.description ?? null,
    amount: provided.amount,
  }))
}

/**
 * Returns the vendor's lump sum for a home with the plan. A lump sum for the elevation of the home takes precedence
 * over one for all elevations.
 */
export function findLumpSumOfHome(
  { lumpSums }: Pick<Contract, 'lumpSums'>,
  { planId, elevation }: { planId: string | null; elevation: string | null },
): LumpSum | undefined {
  const ofPlan = lumpSums.filter((lumpSum) => lumpSum.planId !== null && lumpSum.planId === planId)
  return (
    ofPlan.find((lumpSum) => lumpSum.elevation !== null && lumpSum.elevation === elevation) ??
    ofPlan.find((lumpSum) => lumpSum.elevation === null)
  )
}

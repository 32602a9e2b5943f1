import type { Contract, FieldError, LumpSum, LumpSumInput, Plan } from '../../../../client/contract.gen.ts'
import { elevationFault } from '../../land/plans/plan.ts'
import { freeName, MOST_PRICES } from './contract.ts'

type Terms = Pick<Contract, 'contractType' | 'communityIds' | 'planIds' | 'lumpSums'>

/** Returns an error for each invalid lump sum, or for having any in a contract of this type. */
export function lumpSumFaults(
  { contractType, communityIds, planIds, lumpSums }: Terms,
  plans: ReadonlyMap<string, Pick<Plan, 'elevations'>>,
): FieldError[] {
  if (contractType !== 'turnkey') {
    const message = `must be empty when contractType is ${contractType}`
    return lumpSums.length === 0 ? [] : [{ pointer: '/lumpSums', code: 'turnkey', message }]
  }
  const faults: FieldError[] = []
  if (planIds.length > 0) {
    const message = 'must be empty when contractType is turnkey; set the plans in lumpSums'
    faults.push({ pointer: '/planIds', code: 'turnkey', message })
  }
  const count = lumpSums.length * Math.max(1, communityIds.length)
  if (count > MOST_PRICES) {
    const message = `must not create more than ${MOST_PRICES} prices; with these communities, the number is ${count}`
    faults.push({ pointer: '/lumpSums', code: 'maximum', message })
  }
  const names = new Set<string>()
  const reaches = new Set<string>()
  for (const [i, lumpSum] of lumpSums.entries()) {
    const { lineId, planId, elevation, optionId } = lumpSum
    const reach = JSON.stringify([planId, elevation, optionId])
    const fault = (field: string, code: string, message: string) =>
      faults.push({ pointer: `/lumpSums/${i}${field}`, code, message })
    if (names.has(lineId)) fault('/lineId', 'unique', `must be unique; another lump sum has the lineId "${lineId}"`)
    if (reaches.has(reach))
      fault(planId === null ? '/optionId' : '/planId', 'unique', 'must be unique; another lump sum is for the same')
    names.add(lineId)
    reaches.add(reach)
    for (const [field, code, message] of placeFaults(lumpSum, plans)) fault(field, code, message)
  }
  return faults
}

function placeFaults(
  { planId, elevation, optionId, amount }: LumpSum,
  plans: ReadonlyMap<string, Pick<Plan, 'elevations'>>,
): [string, string, string][] {
  if ((planId === null) === (optionId === null)) return [['', 'place', 'requires either planId or optionId']]
  const faults: [string, string, string][] = []
  if (elevation !== null) {
    const wrong = planId === null ? 'requires planId' : elevationFault(plans.get(planId)?.elevations ?? [], elevation)
    if (wrong !== null) faults.push(['/elevation', 'elevation', wrong])
  }
  if (planId !== null && amount < 0) faults.push(['/amount', 'minimum', 'must not be negative when planId is set'])
  return faults
}

/**
 * Returns the lump sums as stored. One without a lineId is named by its position; one without a cost code gets the
 * trade's.
 */
export function wholeLumpSums(lumpSums: readonly LumpSumInput[], costCodeOfTrade: string | null): LumpSum[] {
  const taken = new Set(lumpSums.map(({ lineId }) => lineId))
  return lumpSums.map((given, i) => ({
    lineId: given.lineId ?? freeName(i + 1, taken),
    planId: given.planId ?? null,
    elevation: given.elevation ?? null,
    optionId: given.optionId ?? null,
    costCodeId: given.costCodeId === undefined ? costCodeOfTrade : given.costCodeId,
    description: given.description ?? null,
    amount: given.amount,
  }))
}

/** Returns the vendor's sum for a home of the plan: that of its elevation, or else that of the whole plan. */
export function sumOfHouse(
  { lumpSums }: Pick<Contract, 'lumpSums'>,
  { planId, elevation }: { planId: string | null; elevation: string | null },
): LumpSum | undefined {
  const ofPlan = lumpSums.filter((lumpSum) => lumpSum.planId !== null && lumpSum.planId === planId)
  return (
    ofPlan.find((lumpSum) => lumpSum.elevation !== null && lumpSum.elevation === elevation) ??
    ofPlan.find((lumpSum) => lumpSum.elevation === null)
  )
}

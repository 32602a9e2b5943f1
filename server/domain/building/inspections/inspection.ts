import type {
  FieldError,
  Inspection,
  InspectionItem,
  InspectionItemInput,
  InspectionStatus,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { explainWhyPermitIsInvalid, isPermitValidOn } from '../permits/permit.ts'
import * as permits from '../permits/queries.ts'

/** The status changes that a caller can request. An inspection is completed only by recording its result. */
export const INSPECTION_MOVES: Readonly<Record<InspectionStatus, readonly InspectionStatus[]>> = {
  requested: ['scheduled', 'cancelled'],
  scheduled: ['scheduled', 'cancelled'],
  completed: ['scheduled'],
  cancelled: [],
}

/** The statuses from which a result can be recorded. */
export const RESULT_MOVES: Readonly<Record<InspectionStatus, readonly InspectionStatus[]>> = {
  requested: ['completed'],
  scheduled: ['completed'],
  completed: [],
  cancelled: [],
}

type Place = Pick<Inspection, 'homeId' | 'name' | 'authority'>

/**
 * Returns the permit for an inspection on this date. Throws `permit_expired` if a municipal inspection has no valid
 * permit.
 */
export async function requirePermit(
  call: WriteCall,
  { homeId, name, authority }: Place,
  permitId: string | null,
  date: string | null,
): Promise<string | null> {
  const [permit] = permitId === null ? [] : await permits.findAllWith(call, { id: [permitId] })
  if (permitId !== null && permit === undefined) throw unknownReference(['/permitId'])
  if (permit !== undefined && permit.homeId !== homeId)
    throw validationFailed([{ pointer: '/permitId', code: 'other_home', message: 'must be a permit of the same home' }])
  if (authority !== 'municipal' || date === null) return permitId
  if (permit !== undefined) {
    if (isPermitValidOn(permit, date)) return permit.id
    throw conflict(
      'permit_expired',
      `Cannot inspect ${name} on ${formatDate(date)}: ${explainWhyPermitIsInvalid(permit)} Renew the permit, or choose another permit.`,
    )
  }
  const valid = (await permits.findAllWith(call, { homeId: [homeId] })).filter((each) => isPermitValidOn(each, date))
  if (valid.length > 1)
    throw validationFailed([
      { pointer: '/permitId', code: 'required', message: `is required: the home has ${valid.length} valid permits` },
    ])
  const [only] = valid
  if (only !== undefined) return only.id
  throw conflict(
    'permit_expired',
    `Cannot inspect ${name} on ${formatDate(date)}: the home has no permit that is valid on that date. Add or renew a permit first.`,
  )
}

/** Returns the items in the form in which they are stored. An item with an ID keeps the ID and the punch item. */
export async function resolveInspectionItems(
  call: WriteCall,
  provided: readonly InspectionItemInput[],
  before: readonly InspectionItem[],
  createScopes: boolean | undefined,
): Promise<InspectionItem[]> {
  const errors: FieldError[] = []
  let last = before.reduce((highest, { itemId }) => Math.max(highest, Number(itemId.slice(1))), 0)
  const seen = new Set<string>()
  const items = provided.map((item, i): InspectionItem => {
    const old = before.find(({ itemId }) => itemId === item.itemId)
    if (item.itemId != null && (old === undefined || seen.has(item.itemId)))
      errors.push({
        pointer: `/items/${i}/itemId`,
        code: 'unknown',
        message: 'must be an item of this inspection, and can be listed only once',
      })
    if (old !== undefined) seen.add(old.itemId)
    const { text, result = null, note = null, scope = null, vendorId = null } = item
    const itemId = old?.itemId ?? `I${++last}`
    return { itemId, text, result, note, scope, vendorId, punchItemId: old?.punchItemId ?? null }
  })
  if (errors.length > 0) throw validationFailed(errors)
  const named = [...new Set(items.flatMap(({ scope }) => scope ?? []))]
  const trades = new Map<string, string>()
  for (const name of named) trades.set(name, await scopes.requireTrade(call, name, createScopes))
  const vendorIds = [...new Set(items.flatMap(({ vendorId }) => vendorId ?? []))]
  if (vendorIds.length > 0) await vendors.assertExist(call, vendorIds, '/items')
  return items.map((item) => ({ ...item, scope: item.scope === null ? null : (trades.get(item.scope) ?? item.scope) }))
}

/** Throws unless the items match the result. */
export function assertItemsFitResult(result: Inspection['result'], items: readonly InspectionItem[]): void {
  if (result !== 'passed') return
  const errors = items.flatMap((item, i) =>
    item.result === 'fail'
      ? [{ pointer: `/items/${i}/result`, code: 'conflict', message: 'must not be fail when result is passed' }]
      : [],
  )
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns the items of the next attempt: the failed items, or all items if no item is marked as failed. */
export function listItemsToRepeat(items: readonly InspectionItem[]): InspectionItem[] {
  const failed = items.filter(({ result }) => result === 'fail')
  return (failed.length > 0 ? failed : items).map((item, i) => ({ ...item, itemId: `I${i + 1}`, result: null }))
}

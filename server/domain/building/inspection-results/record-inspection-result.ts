import type { FieldError, Inspection, InspectionRecorded, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import { assertTransition, problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { completeInspection, type InspectionResultFields } from '../inspections/complete-inspection.ts'
import { assertItemsFitResult, RESULT_MOVES, requirePermit, resolveInspectionItems } from '../inspections/inspection.ts'
import { addNextAttempt } from '../inspections/next-attempt.ts'
import * as inspections from '../inspections/queries.ts'
import { changeTask } from '../tasks/change-task.ts'
import { planFailedInspection } from '../tasks/failed-inspection.ts'
import * as tasks from '../tasks/queries.ts'
import { assertTaskCanStart, planCompletion } from '../tasks/task.ts'
import { completeOrders } from '../tasks/task-orders.ts'
import { draftFeeOrder } from './fee-order.ts'

interface ResultRequest {
  readonly body: Checked['InspectionResultCreate']
  readonly ifMatch: string | undefined
  readonly createScopes: boolean | undefined
}

/** The next attempt must be within this time, as for the delay of a task. */
const MAX_DAYS_TO_REINSPECTION = 365

/** Records the result of an inspection and makes all resulting changes. */
export async function recordInspectionResult(
  call: WriteCall,
  id: string,
  { body, ifMatch, createScopes }: ResultRequest,
): Promise<InspectionRecorded> {
  const { homeId } = await inspections.find(call, id)
  // Lock the home first, as in every change of a schedule.
  const home = await tasks.lockHome(call, { homeId })
  if (home === undefined) throw unknownReference(['inspectionId'])
  const before = await inspections.lock(call, id)
  assertIfMatch(ifMatch, before)
  assertTransition(RESULT_MOVES, before.status, 'completed')
  const today = toLocalDate(home.timeZone, call.now)
  const { result, date = today, reinspection = null } = body
  const errors = findErrors(body, date, today)
  if (errors.length > 0) throw validationFailed(errors)

  const items =
    body.items === undefined ? before.items : await resolveInspectionItems(call, body.items, before.items, createScopes)
  assertItemsFitResult(result, items)
  const permitId = await requirePermit(call, before, before.permitId, date)
  const releasedScopes = await resolveReleasedScopes(call, body.releasedScopes ?? [], createScopes)
  const inspected = { ...before, items, permitId }
  const feeVendorId = await chooseFeeVendor(call, inspected, body)
  const feeOrder = await draftOrder(call, inspected, body, feeVendorId)
  const { inspectorName, notes, feeAmount } = body
  const fields: InspectionResultFields = {
    ...{ result, completedDate: date, items, permitId, releasedScopes, inspectorName, notes },
    ...{ feeAmount: feeAmount ?? null, feeVendorId, feeOrderId: feeOrder?.id ?? null },
  }
  const { inspection, task } = await completeInspectionAndTask(call, before, { body, date, fields, feeVendorId })
  return {
    inspection,
    task,
    reinspection: result === 'passed' ? null : await addNextAttempt(call, inspection, reinspection),
    feeOrder,
  }
}

interface ResultParts {
  readonly body: Checked['InspectionResultCreate']
  readonly date: string
  readonly fields: InspectionResultFields
  readonly feeVendorId: string | null
}

/** Stores the result and changes the task. Records the event of the inspection before the events of the task. */
async function completeInspectionAndTask(
  call: WriteCall,
  before: Inspection,
  { body, date, fields, feeVendorId }: ResultParts,
): Promise<Pick<InspectionRecorded, 'inspection' | 'task'>> {
  const { result, force, reinspection = null, reason = null } = body
  if (before.taskId === null) return { inspection: await completeInspection(call, before, fields, reason), task: null }
  let inspection = before
  const changed = await changeTask(
    call,
    before.taskId,
    undefined,
    async (task, schedule) => {
      // The checklist of the task contains the items of the inspection, so all of its items are done if the inspection
      // passes.
      const checklist = result === 'passed' ? task.checklist.map((each) => ({ ...each, done: true })) : task.checklist
      const inspectionResult = result === 'passed' ? 'passed' : 'failed'
      const report = { date, checklist, inspectionResult, force, reason } as const
      const reported = planCompletion(task, report, schedule.today)
      if (task.actualStart === null) assertTaskCanStart(task, schedule.tasks, { force })
      const { changes, delayDays } =
        result === 'passed'
          ? { changes: reported, delayDays: null }
          : planFailedInspection(schedule, task, reported, {
              ...{ date, reinspectionDate: reinspection?.date ?? null, vendorId: feeVendorId },
              releasedScopes: fields.releasedScopes ?? [],
            })
      inspection = await completeInspection(call, before, { ...fields, delayDays }, reason)
      return changes
    },
    reason,
  )
  const orders = changed.status === 'completed' ? await completeOrders(call, changed) : []
  return { inspection, task: { ...changed, orders } }
}

function findErrors(body: Checked['InspectionResultCreate'], date: string, today: string): FieldError[] {
  const { result, releasedScopes, reinspection, feeAmount = null, feeVendorId = null, backcharge, force } = body
  const errors: FieldError[] = []
  const add = (pointer: string, code: string, message: string) => errors.push({ pointer, code, message })
  if (date > today) add('/date', 'maximum', `must not be after today (${today})`)
  if (result === 'partial' && releasedScopes === undefined)
    add('/releasedScopes', 'required', 'is required when result is partial')
  if (result !== 'partial' && releasedScopes !== undefined)
    add('/releasedScopes', 'exclusive', 'can only be set when result is partial')
  if (reinspection !== undefined) {
    if (result === 'passed') add('/reinspection', 'exclusive', 'cannot be set when result is passed')
    const last = addDays(date, MAX_DAYS_TO_REINSPECTION)
    if (reinspection.date <= date) add('/reinspection/date', 'minimum', `must be after the inspection (${date})`)
    if (reinspection.date > last) add('/reinspection/date', 'maximum', `must not be after ${last}`)
  }
  if (feeAmount === null && feeVendorId !== null) add('/feeVendorId', 'dependent', 'requires feeAmount')
  if (feeAmount === null && backcharge) add('/backcharge', 'dependent', 'requires feeAmount')
  if (force && (body.reason ?? null) === null) add('/reason', 'required', 'is required when force is true')
  return errors
}

async function resolveReleasedScopes(
  call: WriteCall,
  names: readonly string[],
  createScopes: boolean | undefined,
): Promise<string[]> {
  const found: string[] = []
  for (const name of names) found.push(await scopes.requireTrade(call, name, createScopes))
  return [...new Set(found)]
}

/** Returns the vendor that must pay the fee: the given vendor or, by default, the only vendor of the failed items. */
async function chooseFeeVendor(
  call: WriteCall,
  { items }: Inspection,
  { feeAmount = null, feeVendorId = null }: Checked['InspectionResultCreate'],
): Promise<string | null> {
  if (feeVendorId !== null) {
    await vendors.assertExist(call, [feeVendorId], '/feeVendorId')
    return feeVendorId
  }
  if (feeAmount === null) return null
  const responsible = new Set(items.flatMap(({ result, vendorId }) => (result === 'fail' ? (vendorId ?? []) : [])))
  const [only = null] = responsible
  return responsible.size === 1 ? only : null
}

async function draftOrder(
  call: WriteCall,
  inspection: Inspection,
  { feeAmount = null, backcharge }: Checked['InspectionResultCreate'],
  vendorId: string | null,
): Promise<PurchaseOrder | null> {
  if (!backcharge || feeAmount === null) return null
  if (!call.permissions.has('pos:write'))
    throw problem('permission_denied', 'Setting backcharge requires pos:write.', { permission: 'pos:write' })
  if (vendorId === null)
    throw validationFailed([
      {
        pointer: '/feeVendorId',
        code: 'required',
        message: 'is required unless all failed items have the same vendor',
      },
    ])
  return draftFeeOrder(call, inspection, vendorId, feeAmount)
}

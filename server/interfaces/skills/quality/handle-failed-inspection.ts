import type {
  FieldError,
  HandleFailedInspectionResult,
  Inspection,
  InspectionItemInput,
  InspectionRecorded,
  PunchItem,
} from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { CheckedSkills } from '../../../platform/calls/checked.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { getToday } from '../frame/report.ts'
import { mapTradesToOrderedVendors } from './vendors-by-trade.ts'

type Input = CheckedSkills['handleFailedInspection']

/** The number of days to make corrections if the date of the reinspection is not known. */
const DAYS_TO_CORRECT = 3
const MAX_DESCRIPTION = 500

/** Records a failed inspection, schedules the next attempt, and assigns each correction to a vendor. */
export async function handleFailedInspection(input: Input, call: Call): Promise<HandleFailedInspectionResult> {
  const before = await call.operation('getInspection', { inspectionId: input.inspectionId })
  if (before.status === 'cancelled' || before.result === 'passed')
    throw conflict(
      'wrong_status',
      `Cannot handle ${before.name} as a failed inspection: it ${before.status === 'cancelled' ? 'is canceled' : 'has passed'}.`,
    )
  const { inspection, task, reinspection, feeOrder } =
    before.status === 'completed' ? await scheduleNext(input, before, call) : await recordFailure(input, before, call)
  const corrections: PunchItem[] = []
  const vendors = await mapTradesToOrderedVendors(call, inspection.homeId)
  const dueDate = chooseDueDate(call, reinspection)
  for (const item of inspection.items.filter(({ result }) => result === 'fail'))
    corrections.push(await addCorrection(call, inspection, item, { vendors, dueDate }))
  const unassigned = corrections.filter(({ status }) => status === 'open').length
  return { inspection, task, reinspection, feeOrder, corrections, unassigned }
}

function recordFailure(
  { corrections, reinspection, feeAmount = null, feeVendorId = null }: Input,
  { id, items }: Inspection,
  call: Call,
): Promise<InspectionRecorded> {
  const failed = corrections?.map((item) => ({ ...item, result: 'fail' as const }))
  const named = new Set(failed?.map(({ itemId }) => itemId))
  const kept: InspectionItemInput[] = items
    .filter(({ itemId }) => !named.has(itemId))
    .map(({ punchItemId: _, ...item }) => item)
  return call.operation('recordInspectionResult', {
    ...{ inspectionId: id, result: 'failed' },
    ...(failed !== undefined && { items: [...kept, ...failed] }),
    ...(reinspection !== undefined && { reinspection }),
    ...(feeAmount !== null && { feeAmount, backcharge: true, ...(feeVendorId !== null && { feeVendorId }) }),
  })
}

/** Schedules the next attempt of an inspection whose result has already been recorded. */
async function scheduleNext(
  { corrections, reinspection, feeAmount = null, feeVendorId = null }: Input,
  inspection: Inspection,
  call: Call,
): Promise<InspectionRecorded> {
  const errors: FieldError[] = Object.entries({ corrections, feeAmount, feeVendorId })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([field]) => ({
      pointer: `/${field}`,
      code: 'conflict',
      message: 'can be set only if the inspection has no result yet',
    }))
  if (errors.length > 0) throw validationFailed(errors)
  const next = await findNextAttempt(call, inspection)
  if (next === null || reinspection === undefined || next.status === 'completed')
    return { inspection, task: null, reinspection: next, feeOrder: null }
  const scheduled = await call.operation('changeInspectionStatus', {
    ...{ inspectionId: next.id, status: 'scheduled', date: reinspection.date, window: reinspection.window ?? 'any' },
  })
  return { inspection, task: null, reinspection: scheduled, feeOrder: null }
}

async function findNextAttempt(call: Call, { id, homeId, taskId }: Inspection): Promise<Inspection | null> {
  const { data } = await call.operation('listInspections', {
    ...{ homeId, sort: '-createdAt', limit: 200, ...(taskId !== null && { taskId }) },
  })
  return data.find(({ previousId, status }) => previousId === id && status !== 'cancelled') ?? null
}

function chooseDueDate(call: Call, reinspection: Inspection | null): string {
  const today = getToday(call)
  const scheduled = reinspection?.scheduledDate ?? null
  if (scheduled === null) return addDays(today, DAYS_TO_CORRECT)
  return [addDays(scheduled, -1), today].sort()[1] ?? today
}

/**
 * Returns the punch item for a correction, and creates it if it does not exist. Finds it by its external ID, so that
 * repeating the skill does not create a second item.
 */
async function addCorrection(
  call: Call,
  { id, homeId, name, taskId }: Inspection,
  { itemId, text, note, scope, vendorId: named }: Inspection['items'][number],
  { vendors, dueDate }: { vendors: ReadonlyMap<string, string>; dueDate: string },
): Promise<PunchItem> {
  const externalId = `${id}/${itemId}`
  const [existing] = (await call.operation('listPunchItems', { externalId, limit: 1 })).data
  if (existing !== undefined) return existing
  const vendorId = named ?? (scope === null ? undefined : vendors.get(scope.toLowerCase()))
  const description = [`${name}: ${text}`, note].filter((part) => part !== null).join('. ')
  return call.operation('createPunchItem', {
    ...{ homeId, description: description.slice(0, MAX_DESCRIPTION), priority: 'before_closing', externalId },
    ...(scope !== null && { scope }),
    ...(taskId !== null && { taskId }),
    ...(vendorId !== undefined && { vendorId, dueDate }),
  })
}

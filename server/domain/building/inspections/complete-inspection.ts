import type { Inspection } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { computeExpiry } from '../permits/permit.ts'
import * as permits from '../permits/queries.ts'
import { addNextAttempt } from './next-attempt.ts'
import * as inspections from './queries.ts'

export type InspectionResultFields = Pick<Inspection, 'result' | 'completedDate'> &
  Partial<Omit<Inspection, 'id' | 'version' | 'createdBy' | 'createdAt' | 'updatedAt' | 'status'>>

/**
 * Stores the result of a locked inspection. If a municipal inspection passed, extends the expiration date of its
 * permit.
 */
export async function completeInspection(
  call: WriteCall,
  before: Inspection,
  fields: InspectionResultFields,
  reason: string | null,
): Promise<Inspection> {
  const inspection = await inspections.update(call, before, { ...fields, status: 'completed' })
  await recordStatusChange(call, { id: before.id, from: before.status, to: 'completed', reason })
  await extendPermit(call, inspection)
  await recordEvent(call, 'inspection.completed', inspection, before)
  return inspection
}

/**
 * When a task is reported as completed, records the result of its open inspection, if there is one. If the inspection
 * failed, requests the next attempt.
 */
export async function completeTaskInspection(
  call: WriteCall,
  taskId: string,
  fields: InspectionResultFields,
  reason: string | null,
): Promise<void> {
  const id = await inspections.findOpenInspectionId(call, taskId)
  if (id === undefined) return
  const inspection = await completeInspection(call, await inspections.lock(call, id), fields, reason)
  if (inspection.result === 'failed') await addNextAttempt(call, inspection, null)
}

async function extendPermit(
  call: WriteCall,
  { authority, result, permitId, completedDate }: Inspection,
): Promise<void> {
  if (authority !== 'municipal' || result !== 'passed' || permitId === null || completedDate === null) return
  const permit = await permits.lock(call, permitId)
  const expiryDate = computeExpiry(permit, completedDate)
  // A result that is reported late must not shorten the validity of the permit.
  if (permit.status !== 'issued' || expiryDate === null || expiryDate <= (permit.expiryDate ?? '9999')) return
  await permits.update(call, permit, { expiryDate })
}

import type { Inspection, InspectionStatusChange } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, validationFailed } from '../../../platform/problems/problem.ts'
import { INSPECTION_MOVES, requirePermit } from '../inspections/inspection.ts'
import * as inspections from '../inspections/queries.ts'
import * as tasks from '../tasks/queries.ts'
import { recordInspectionResult } from './record-inspection-result.ts'
import { undoInspectionResult } from './undo-inspection-result.ts'

export const inspectionResultOperations = {
  async changeInspectionStatus({ path, body, ifMatch }, call) {
    const inspection = await call.write(async (call) => {
      const { homeId } = await inspections.find(call, path.inspectionId)
      // Lock the home first, as in every change of a schedule.
      await tasks.lockHome(call, { homeId })
      const before = await inspections.lock(call, path.inspectionId)
      assertIfMatch(ifMatch, before)
      assertTransition(INSPECTION_MOVES, before.status, body.status)
      assertFieldsFit(before, body)
      if (before.status === 'completed') return undoInspectionResult(call, before, body)
      const { reason = null } = body
      const after =
        body.status === 'cancelled'
          ? await inspections.update(call, before, { status: 'cancelled' })
          : await schedule(call, before, body)
      if (after.status !== before.status)
        await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
      if (after.status === 'scheduled' && after.version !== before.version)
        await recordEvent(call, 'inspection.scheduled', after, before)
      return after
    })
    return { status: 200, body: inspection }
  },

  async recordInspectionResult({ path, query, body, ifMatch }, call) {
    const recorded = await call.write((call) =>
      recordInspectionResult(call, path.inspectionId, { body, ifMatch, createScopes: query.createScopes }),
    )
    return { status: 200, body: recorded }
  },
} satisfies Partial<Handlers>

async function schedule(
  call: WriteCall,
  before: Inspection,
  { date, window = before.window, permitId = before.permitId ?? undefined }: InspectionStatusChange,
): Promise<Inspection> {
  const scheduledDate = date ?? before.scheduledDate
  return inspections.update(call, before, {
    ...{ status: 'scheduled', scheduledDate, window },
    permitId: await requirePermit(call, before, permitId ?? null, scheduledDate),
  })
}

function assertFieldsFit({ status }: Inspection, body: InspectionStatusChange): void {
  const { date, window, permitId, reason = null } = body
  const given = Object.entries({ date, window, permitId }).filter(([, value]) => value !== undefined)
  const errors =
    body.status === 'cancelled'
      ? given.map(([field]) => ({
          ...{ pointer: `/${field}`, code: 'exclusive', message: 'can only be set when status is scheduled' },
        }))
      : status !== 'completed' && date === undefined
        ? [{ pointer: '/date', code: 'required', message: 'is required to schedule the inspection' }]
        : status === 'completed' && reason === null
          ? [{ pointer: '/reason', code: 'required', message: 'is required to undo a result' }]
          : []
  if (errors.length > 0) throw validationFailed(errors)
}

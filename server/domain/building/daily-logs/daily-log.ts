import { isDeepStrictEqual } from 'node:util'
import type { DailyLog, DailyLogWeather, FieldError } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate, formatTimestamp } from '../../../platform/values/format.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as tasks from '../tasks/queries.ts'

type ContentInput = Pick<Partial<Checked['DailyLogUpdate']>, 'weather' | 'crews' | 'deliveries' | 'visitors' | 'safety'>
type Content = Pick<DailyLog, 'weather' | 'crews' | 'deliveries' | 'visitors' | 'safety'>

/**
 * Returns the parts of a log that the request contains, in the form in which they are stored. Throws if vendors or
 * tasks are unknown.
 */
export async function resolveLogContent(
  call: Call,
  homeId: string,
  { weather, crews, deliveries, visitors, safety }: ContentInput,
): Promise<Partial<Content>> {
  const nameless = (crews ?? []).flatMap(({ vendorId = null, name = null }, i): FieldError[] =>
    vendorId === null && name === null
      ? [{ pointer: `/crews/${i}/name`, code: 'required', message: 'is required unless vendorId is set' }]
      : [],
  )
  if (nameless.length > 0) throw validationFailed(nameless)
  const vendorIds = [...(crews ?? []), ...(deliveries ?? [])].flatMap(({ vendorId }) => vendorId ?? [])
  if (vendorIds.length > 0)
    await vendors.assertExist(call, [...new Set(vendorIds)], crews === undefined ? '/deliveries' : '/crews')
  await assertTasksOfHome(call, homeId, deliveries ?? [])
  return {
    ...(weather !== undefined && {
      weather: weather === null ? null : toWeather(weather),
    }),
    ...(crews !== undefined && {
      crews: crews.map(({ vendorId = null, name = null, scope = null, headcount = null, hours = null, noShow }) => {
        return { vendorId, name, scope, headcount, hours, noShow }
      }),
    }),
    ...(deliveries !== undefined && {
      deliveries: deliveries.map(({ taskId = null, vendorId = null, description, condition }) => {
        return { taskId, vendorId, description, condition }
      }),
    }),
    ...(visitors !== undefined && {
      visitors: visitors.map(({ name, company = null, purpose }) => ({ name, company, purpose })),
    }),
    ...(safety !== undefined && {
      safety: safety.map(({ kind, description, action = null }) => ({ kind, description, action })),
    }),
  }
}

function toWeather({ condition, high = null, low = null, unit, workable }: DailyLogWeather): DailyLog['weather'] {
  return { condition, high, low, unit: unit ?? 'fahrenheit', workable: workable ?? true }
}

async function assertTasksOfHome(
  call: Call,
  homeId: string,
  deliveries: readonly { taskId?: string | null | undefined }[],
): Promise<void> {
  const ids = deliveries.flatMap(({ taskId }) => taskId ?? [])
  if (ids.length === 0) return
  const known = new Set((await tasks.findAll(call, ids)).flatMap((task) => (task.homeId === homeId ? task.id : [])))
  const unknown = deliveries.flatMap(({ taskId }, i) =>
    taskId == null || known.has(taskId) ? [] : [`/deliveries/${i}/taskId`],
  )
  if (unknown.length > 0) throw unknownReference(unknown)
}

/**
 * Throws if the log can no longer be edited. Also compares the time, because the job may not have locked the log yet.
 */
export function assertLogEditable(call: Call, { status, logDate, editableUntil }: DailyLog): void {
  if (status !== 'locked' && new Date(editableUntil) > call.now) return
  throw conflict(
    'edit_window_closed',
    `Cannot edit the log for ${formatDate(logDate)}: it was locked on ${formatTimestamp(editableUntil, call.timeZone)}. Add an addendum instead.`,
  )
}

/** Returns the incidents that a change adds. */
export function listNewIncidents(before: DailyLog['safety'], after: DailyLog['safety']): DailyLog['safety'] {
  return after.filter(
    (entry) => entry.kind === 'incident' && !before.some((old) => isDeepStrictEqual({ ...old }, { ...entry })),
  )
}

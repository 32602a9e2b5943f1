import type { FieldError, Permit, PermitStatusChange } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { computeExpiry, formatPermitName, PERMIT_MOVES } from './permit.ts'
import * as permits from './queries.ts'

export const permitOperations = {
  async listPermits({ query }, call) {
    return { status: 200, body: await permits.list(call, query) }
  },

  async createPermit({ body }, call) {
    const permit = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      const home = await homes.find(call, body.homeId)
      if (home.archivedAt !== null) throw conflict('archived', `Cannot add a permit to ${home.name}: it is archived.`)
      const { communityId } = home
      const today = await findToday(call, communityId)
      const { issuedDate = null, appliedDate = issuedDate ?? today, expiryDate, ...rest } = body
      assertDates([
        ...findFutureErrors({ appliedDate: body.appliedDate ?? null, issuedDate }, today),
        ...findOrderErrors({ appliedDate, issuedDate, expiryDate }),
        ...(expiryDate != null && issuedDate === null
          ? [{ pointer: '/expiryDate', code: 'dependent', message: 'requires issuedDate' }]
          : []),
      ])
      const created = await permits.insert(call, {
        ...{ ...rest, communityId, appliedDate, issuedDate, currency: call.currency },
        status: issuedDate === null ? 'applied' : 'issued',
        expiryDate:
          issuedDate === null ? null : expiryDate === undefined ? computeExpiry(body, issuedDate) : expiryDate,
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: permit }
  },

  async getPermit({ path }, call) {
    return { status: 200, body: await permits.find(call, path.permitId) }
  },

  async updatePermit({ path, body, ifMatch }, call) {
    const permit = await call.write(async (call) => {
      const before = await permits.lock(call, path.permitId)
      assertIfMatch(ifMatch, before)
      if (body.expiryDate !== undefined && before.status !== 'issued')
        throw conflict(
          'wrong_status',
          `Cannot set the expiry date of ${formatPermitName(before)}: it is ${before.status}. Only issued permits have an expiry date.`,
        )
      const { appliedDate = before.appliedDate, expiryDate = before.expiryDate } = body
      assertDates([
        ...findFutureErrors({ appliedDate }, await findToday(call, before.communityId)),
        ...findOrderErrors({ appliedDate, issuedDate: before.issuedDate, expiryDate }),
      ])
      return permits.update(call, before, body)
    })
    return { status: 200, body: permit }
  },

  async changePermitStatus({ path, body, ifMatch }, call) {
    const permit = await call.write(async (call) => {
      const before = await permits.lock(call, path.permitId)
      assertIfMatch(ifMatch, before)
      assertTransition(PERMIT_MOVES, before.status, body.status)
      const changes = planMove(before, body, await findToday(call, before.communityId))
      if (body.status === 'finaled' && (await permits.hasOpenInspections(call, before.id)))
        throw conflict(
          'open_work',
          `Cannot final ${formatPermitName(before)}: inspections for it are requested or scheduled. Record their results or cancel them first.`,
        )
      const after = await permits.update(call, before, { ...changes, status: body.status })
      const { reason = null } = body
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
      return after
    })
    return { status: 200, body: permit }
  },
} satisfies Partial<Handlers>

/** Returns the fields that change together with the status. */
function planMove(before: Permit, body: PermitStatusChange, today: string): Partial<Permit> {
  const { status, date, number, expiryDate, reason = null } = body
  const exclusive = (field: string, statuses: string) => ({
    ...{ pointer: `/${field}`, code: 'exclusive', message: `can only be set when status is ${statuses}` },
  })
  assertDates([
    ...(status === 'void' && date !== undefined ? [exclusive('date', 'issued or finaled')] : []),
    ...(status !== 'issued' && number !== undefined ? [exclusive('number', 'issued')] : []),
    ...(status !== 'issued' && expiryDate !== undefined ? [exclusive('expiryDate', 'issued')] : []),
    ...(status === 'void' && reason === null
      ? [{ pointer: '/reason', code: 'required', message: 'is required when status is void' }]
      : []),
    ...findFutureErrors({ date: date ?? null }, today),
  ])
  const day = date ?? today
  if (status === 'void') return {}
  if (status === 'finaled') return { finaledDate: day }
  const changes = {
    issuedDate: day,
    expiryDate: expiryDate === undefined ? computeExpiry(before, day) : expiryDate,
    number: number ?? before.number,
  }
  assertDates(findOrderErrors({ appliedDate: before.appliedDate, ...changes }, 'date'))
  return changes
}

interface PermitDates {
  appliedDate: string
  issuedDate: string | null
  expiryDate?: string | null | undefined
}

function findOrderErrors({ appliedDate, issuedDate, expiryDate }: PermitDates, issued = 'issuedDate'): FieldError[] {
  const errors: FieldError[] = []
  if (issuedDate !== null && issuedDate < appliedDate)
    errors.push({ pointer: `/${issued}`, code: 'order', message: `must not be before appliedDate (${appliedDate})` })
  if (expiryDate != null && issuedDate !== null && expiryDate < issuedDate)
    errors.push({ pointer: '/expiryDate', code: 'order', message: `must not be before issuedDate (${issuedDate})` })
  return errors
}

function findFutureErrors(dates: Readonly<Record<string, string | null>>, today: string): FieldError[] {
  return Object.entries(dates).flatMap(([field, date]) =>
    date !== null && date > today
      ? [{ pointer: `/${field}`, code: 'maximum', message: `must not be after today (${today})` }]
      : [],
  )
}

function assertDates(errors: FieldError[]): void {
  if (errors.length > 0) throw validationFailed(errors)
}

async function findToday(call: Call, communityId: string): Promise<string> {
  const { timeZone } = await communities.find(call, communityId)
  return toLocalDate(timeZone, call.now)
}

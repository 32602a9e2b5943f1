import type { Call } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { parseTimestamp, toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as sales from '../sales/queries.ts'
import * as activities from './activity-queries.ts'
import { calculateLeadScore } from './calculate-lead-score.ts'
import { convertLead } from './convert-lead.ts'
import { assertValidLead, formatLeadName, LEAD_MOVES, MAX_ACTIVITIES } from './lead.ts'
import * as leads from './queries.ts'
import { listScoreReasons, sumScore } from './score.ts'

export const leadOperations = {
  async listLeads({ query }, call) {
    return { status: 200, body: await leads.list(call, query) }
  },

  async createLead({ body }, call) {
    const requested = { ...EMPTY_LEAD, ...body, status: 'new' as const }
    assertValidLead(requested)
    const scoreReasons = listScoreReasons(requested, {}, toLocalDate(call.timeZone, call.now))
    const lead = await call.write(async (call) => {
      await assertInterestsExist(call, body)
      const score = sumScore(scoreReasons)
      const created = await leads.insert(call, {
        ...{ ...requested, score, scoreReasons, lastActivityAt: call.now.toISOString() },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      await recordEvent(call, 'lead.created', created)
      return created
    })
    return { status: 201, body: lead }
  },

  async getLead({ path }, call) {
    return { status: 200, body: await leads.find(call, path.leadId) }
  },

  async updateLead({ path, body, ifMatch }, call) {
    const lead = await call.write(async (call) => {
      const before = await leads.lock(call, path.leadId)
      assertIfMatch(ifMatch, before)
      await assertInterestsExist(call, body)
      const provided = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      assertValidLead({ ...before, ...provided })
      return leads.update(call, before, { ...body, ...(await calculateLeadScore(call, { ...before, ...provided })) })
    })
    return { status: 200, body: lead }
  },

  async archiveLead({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await leads.lock(call, path.leadId)
      if (before.archivedAt === null && before.convertedSaleId !== null)
        await assertSaleCancelled(call, before.convertedSaleId)
      await leads.archive(call, before, ifMatch)
    })
    return { status: 204 }
  },

  async listLeadActivities({ path, query }, call) {
    const { leadId } = path
    await leads.find(call, leadId)
    return { status: 200, body: await activities.list(call, query, { leadId }) }
  },

  async addLeadActivity({ path, body }, call) {
    const { nextActivityAt, ...rest } = body
    const occurredAt = body.occurredAt == null ? call.now : parseTimestamp(body.occurredAt)
    if (occurredAt > call.now)
      throw validationFailed([{ pointer: '/occurredAt', code: 'maximum', message: 'must not be in the future' }])
    const activity = await call.write(async (call) => {
      const before = await leads.lock(call, path.leadId)
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot add an activity to ${formatLeadName(before)}: the lead is archived.`)
      const counts = await activities.countActivities(call, before.id)
      if (Object.values(counts).reduce((total, count) => total + count, 0) >= MAX_ACTIVITIES)
        throw conflict(
          'limit_reached',
          `Cannot add the activity: ${formatLeadName(before)} already has ${MAX_ACTIVITIES} activities, the maximum.`,
        )
      const at = occurredAt.toISOString()
      const created = await activities.insert(call, { ...rest, leadId: before.id, occurredAt: at })
      const lastActivityAt = at > before.lastActivityAt ? at : undefined
      const next = nextActivityAt === undefined ? before.nextActivityAt : nextActivityAt
      const after = { ...before, nextActivityAt: next }
      await leads.update(call, before, { nextActivityAt, lastActivityAt, ...(await calculateLeadScore(call, after)) })
      return created
    })
    return { status: 200, body: activity }
  },

  async changeLeadStatus({ path, body }, call) {
    const { status: to, reason = null } = body
    const lead = await call.write(async (call) => {
      const before = await leads.lock(call, path.leadId)
      assertTransition(LEAD_MOVES, before.status, to)
      if (before.convertedSaleId !== null) await assertSaleCancelled(call, before.convertedSaleId)
      if (to === 'lost' && reason === null)
        throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when status is lost' }])
      const changes = { status: to, lostReason: to === 'lost' ? reason : null, convertedSaleId: null }
      const after = await leads.update(call, before, {
        ...changes,
        ...(await calculateLeadScore(call, { ...before, ...changes })),
      })
      await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
      return after
    })
    return { status: 200, body: lead }
  },

  async convertLead({ path, body }, call) {
    return { status: 201, body: await call.write((call) => convertLead(call, path.leadId, body)) }
  },
} satisfies Partial<Handlers>

const EMPTY_LEAD = {
  ...{ firstName: null, lastName: null, email: null, phone: null, budgetMin: null, budgetMax: null },
  ...{ desiredMoveIn: null, ownerUserId: null, nextActivityAt: null, externalId: null },
}

interface LeadInterests {
  communityIds?: string[] | undefined
  planIds?: string[] | undefined
}

async function assertInterestsExist(call: Call, { communityIds = [], planIds = [] }: LeadInterests): Promise<void> {
  await communities.assertExist(call, communityIds, '/communityIds')
  await plans.assertExist(call, planIds, '/planIds')
}

/**
 * Throws unless the sale is canceled. As long as the sale exists, its buyer cannot become a lead again, and the lead
 * cannot be archived.
 */
async function assertSaleCancelled(call: Call, saleId: string): Promise<void> {
  const sale = await sales.find(call, saleId)
  if (sale.status !== 'cancelled')
    throw conflict(
      'wrong_status',
      `Cannot change the status of the lead: its sale ${sale.number} is ${describeStatus(sale.status)}. Cancel the sale first.`,
    )
}

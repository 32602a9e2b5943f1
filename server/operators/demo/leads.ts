import type { LeadActivity, LeadActivityType, LeadStatus } from '../../../client/contract.gen.ts'
import * as activities from '../../domain/selling/leads/activity-queries.ts'
import { calculateLeadScore } from '../../domain/selling/leads/calculate-lead-score.ts'
import * as leads from '../../domain/selling/leads/queries.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { emptyToNull, type RowOf, readRows, splitList, toNumberOrNull } from './data-files.ts'
import { MOMENT_BEFORE, NamedIds, type Timeline } from './timeline.ts'

interface LeadInputs {
  /** The users' IDs by email address. */
  readonly people: NamedIds<string>
  readonly communities: NamedIds<string>
  readonly plans: NamedIds<string>
}

type LeadRow = RowOf<'leads'>

/**
 * Adds the leads of the past year and their activities. Adds the activities without their operation, because one by one
 * they would take longer than everything else about leads.
 */
export class Leads {
  /** The leads' IDs by email address. */
  readonly made = new NamedIds<string>()
  readonly #timeline: Timeline
  readonly #made: LeadInputs

  constructor(timeline: Timeline, created: LeadInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const row of readRows('leads'))
      this.#timeline.on(this.#timeline.daysSince(row.createdDate), (ago) => this.#comeIn(ago, row))
  }

  async #comeIn(ago: number, row: LeadRow): Promise<void> {
    const { firstName, lastName, email, phone, source, budgetMin, budgetMax, nextActivityDate } = row
    const { id } = await this.#timeline.do(ago, 'createLead', {
      ...{ firstName, lastName, email, phone, source },
      communityIds: splitList(row.communities).map((code) => this.#made.communities.get(code)),
      planIds: splitList(row.plans).map((code) => this.#made.plans.get(code)),
      budgetMin: toNumberOrNull(budgetMin),
      budgetMax: toNumberOrNull(budgetMax),
      desiredMoveIn: this.#timeline.moved(row.desiredMoveInDate),
      ownerUserId: this.#made.people.get(row.owner),
      nextActivityAt: nextActivityDate === '' ? null : `${this.#timeline.moved(nextActivityDate)}T16:00:00Z`,
    })
    this.made.set(email, id)
    if (row.lastActivityDate === '') return
    // A lead that buys on that day is converted later on the same day.
    const last = this.#timeline.daysSince(row.lastActivityDate) + MOMENT_BEFORE
    this.#timeline.on(last, () => this.#workOn(id, row, { from: ago, to: last }))
  }

  /** Adds all activities of a lead and sets its outcome. */
  async #workOn(leadId: string, row: LeadRow, { from, to }: { from: number; to: number }): Promise<void> {
    const call = this.#timeline.at(to)
    const before = await leads.lock(call, leadId)
    const done = listActivityTypes(row).map((activityType, i, { length }): LeadActivity => {
      const at = this.#timeline.at(from - ((from - to) * (i + 1)) / length)
      const occurredAt = at.now.toISOString()
      return activities.make(at, {
        ...{ leadId, activityType, occurredAt },
        notes: NOTES[activityType],
        externalId: null,
      })
    })
    await activities.insertAll(call, done)
    // A buyer first gets a proposal. Later, the sale converts the lead.
    const status = (row.status === 'converted' ? 'proposal' : row.status) as LeadStatus
    const changes = { status, lostReason: emptyToNull(row.lostReason) }
    const after = { ...before, ...changes }
    await leads.update(call, before, {
      ...{ ...changes, ...(await calculateLeadScore(call, after)), lastActivityAt: call.now.toISOString() },
    })
    await recordStatusChange(call, { id: leadId, from: before.status, to: status, reason: changes.lostReason })
  }
}

const NOTES: Readonly<Record<LeadActivityType, string>> = {
  call: 'Asked which homes are available and what they cost.',
  email: 'Sent the floor plans and the price list.',
  text: 'Confirmed the time.',
  visit: 'Walked through the model and two open lots.',
  meeting: 'Went through options, financing and dates.',
  note: 'Comparing with a resale home.',
}

const REMOTE_TYPES: readonly LeadActivityType[] = ['call', 'email', 'text']
const PERSONAL_TYPES: readonly LeadActivityType[] = ['call', 'email', 'visit', 'text', 'meeting']

/** Returns the types of activities in order. A lead that has only been contacted has had no meeting. */
function listActivityTypes({ status, activitiesCount }: LeadRow): LeadActivityType[] {
  const ways = status === 'contacted' ? REMOTE_TYPES : PERSONAL_TYPES
  return Array.from({ length: Number(activitiesCount) }, (_, i) => ways[i % ways.length] ?? 'call')
}

import type { LeadActivity, LeadActivityType, LeadStatus } from '../../../client/contract.gen.ts'
import * as activities from '../../domain/selling/leads/activity-queries.ts'
import * as leads from '../../domain/selling/leads/queries.ts'
import { scored } from '../../domain/selling/leads/rescore.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { listIn, numberOrNull, orNull, type RowOf, rowsOf } from './rows.ts'
import { JUST_BEFORE, Named, type Timeline } from './timeline.ts'

interface Made {
  /** By e-mail address. */
  readonly people: Named<string>
  readonly communities: Named<string>
  readonly plans: Named<string>
}

type Row = RowOf<'leads'>

/**
 * Tells the leads of the past year and their activities. The activities bypass the operation: one by one they would
 * take longer than everything else about leads.
 */
export class Leads {
  /** By e-mail address. */
  readonly made = new Named<string>()
  readonly #timeline: Timeline
  readonly #made: Made

  constructor(timeline: Timeline, made: Made) {
    this.#timeline = timeline
    this.#made = made
  }

  plan(): void {
    for (const row of rowsOf('leads'))
      this.#timeline.on(this.#timeline.daysSince(row.createdDate), (ago) => this.#comeIn(ago, row))
  }

  async #comeIn(ago: number, row: Row): Promise<void> {
    const { firstName, lastName, email, phone, source, budgetMin, budgetMax, nextActivityDate } = row
    const { id } = await this.#timeline.do(ago, 'createLead', {
      ...{ firstName, lastName, email, phone, source },
      communityIds: listIn(row.communities).map((code) => this.#made.communities.get(code)),
      planIds: listIn(row.plans).map((code) => this.#made.plans.get(code)),
      budgetMin: numberOrNull(budgetMin),
      budgetMax: numberOrNull(budgetMax),
      desiredMoveIn: this.#timeline.moved(row.desiredMoveInDate),
      ownerUserId: this.#made.people.get(row.owner),
      nextActivityAt: nextActivityDate === '' ? null : `${this.#timeline.moved(nextActivityDate)}T16:00:00Z`,
    })
    this.made.set(email, id)
    if (row.lastActivityDate === '') return
    // Leads that buy on that day are converted afterwards.
    const last = this.#timeline.daysSince(row.lastActivityDate) + JUST_BEFORE
    this.#timeline.on(last, () => this.#workOn(id, row, { from: ago, to: last }))
  }

  /** Adds all activities of the lead, and sets its outcome. */
  async #workOn(leadId: string, row: Row, { from, to }: { from: number; to: number }): Promise<void> {
    const call = this.#timeline.at(to)
    const before = await leads.lock(call, leadId)
    const done = activityTypes(row).map((activityType, i, { length }): LeadActivity => {
      const at = this.#timeline.at(from - ((from - to) * (i + 1)) / length)
      const occurredAt = at.now.toISOString()
      return activities.make(at, {
        ...{ leadId, activityType, occurredAt },
        notes: NOTES[activityType],
        externalId: null,
      })
    })
    await activities.insertAll(call, done)
    // A buyer's proposal comes before the sale, which converts the lead.
    const status = (row.status === 'converted' ? 'proposal' : row.status) as LeadStatus
    const changes = { status, lostReason: orNull(row.lostReason) }
    const after = { ...before, ...changes }
    await leads.update(call, before, {
      ...{ ...changes, ...(await scored(call, after)), lastActivityAt: call.now.toISOString() },
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

const AT_A_DISTANCE: readonly LeadActivityType[] = ['call', 'email', 'text']
const IN_PERSON: readonly LeadActivityType[] = ['call', 'email', 'visit', 'text', 'meeting']

/** Returns the types of activities in order. A lead that was only contacted has had no meeting. */
function activityTypes({ status, activitiesCount }: Row): LeadActivityType[] {
  const ways = status === 'contacted' ? AT_A_DISTANCE : IN_PERSON
  return Array.from({ length: Number(activitiesCount) }, (_, i) => ways[i % ways.length] ?? 'call')
}

import type { Handlers } from '../http/operation.ts'
import { notFound, unknownReference } from '../http/problem.ts'
import { eventTypes } from './event-types.ts'
import * as events from './queries.ts'

export const eventOperations = {
  async listEvents({ query }, call) {
    const { after, ...rest } = query
    let afterSequence: number | null = null
    if (after !== undefined) {
      const event = await events.find(call, after)
      if (event === undefined) throw unknownReference(['after'])
      // One that has no place yet is the last of all, and nothing comes after it.
      afterSequence = event.sequence ?? Number.MAX_SAFE_INTEGER
    }
    return { status: 200, body: await events.list(call, rest, afterSequence) }
  },

  async getEvent({ path }, call) {
    const event = await events.find(call, path.eventId)
    if (event === undefined) throw notFound()
    return { status: 200, body: event }
  },

  async listEventTypes(_input, call) {
    return { status: 200, body: { data: eventTypes(call.surroundings.contract) } }
  },

  async listStatusChanges({ query }, call) {
    return { status: 200, body: await events.listStatusChanges(call, query) }
  },
} satisfies Partial<Handlers>

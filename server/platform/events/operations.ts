import type { Handlers } from '../calls/operation.ts'
import { invalid, notFound, unknownReference } from '../problems/problem.ts'
import { eventTypes } from './event-types.ts'
import * as events from './queries.ts'
import { mayRead, permitReading, readableTypes } from './readable.ts'
import { waitFor } from './wait-for.ts'

const WAITING_BACKWARDS = {
  pointer: 'wait',
  code: 'unexpected',
  message: 'requires sort to be sequence',
}

export const eventOperations = {
  async listEvents({ query }, call) {
    const { after, wait, ...rest } = query
    if (wait > 0 && rest.sort !== 'sequence') throw invalid([WAITING_BACKWARDS])
    let afterSequence: number | null = null
    if (after !== undefined) {
      // Only a position, so the caller need not be able to read the event.
      const event = await events.findPlace(call, after)
      if (event === undefined) throw unknownReference(['after'])
      // An event without a sequence is the last of all, and nothing follows it.
      afterSequence = event.sequence ?? Number.MAX_SAFE_INTEGER
    }
    const readable = readableTypes(call)
    const { type } = rest
    if (type !== undefined && readable?.includes(type) === false) {
      return { status: 200, body: { data: [], nextCursor: null } }
    }
    const read = () => events.list(call, rest, afterSequence, readable)
    return { status: 200, body: wait === 0 ? await read() : await waitFor(call, wait, read) }
  },

  async getEvent({ path }, call) {
    const event = await events.find(call, path.eventId)
    if (event === undefined || !mayRead(call, event.type)) throw notFound()
    return { status: 200, body: event }
  },

  async listEventTypes(_input, call) {
    return { status: 200, body: { data: eventTypes(call.surroundings.contract) } }
  },

  async listStatusChanges({ query }, call) {
    permitReading(call, query.resourceId)
    return { status: 200, body: await events.listStatusChanges(call, query) }
  },
} satisfies Partial<Handlers>

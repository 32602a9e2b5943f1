import type { Handlers } from '../calls/operation.ts'
import { notFound, unknownReference, validationFailed } from '../problems/problem.ts'
import { listEventTypes } from './event-types.ts'
import * as events from './queries.ts'
import { assertCanRead, canReadType, listReadableTypes } from './readable-events.ts'
import { waitForPage } from './wait-for.ts'

const WAITING_BACKWARDS = {
  pointer: 'wait',
  code: 'unexpected',
  message: 'requires sort to be sequence',
}

export const eventOperations = {
  async listEvents({ query }, call) {
    const { after, wait, ...rest } = query
    if (wait > 0 && rest.sort !== 'sequence') throw validationFailed([WAITING_BACKWARDS])
    let afterSequence: number | null = null
    if (after !== undefined) {
      // Only a position, so the caller need not be able to read the event.
      const event = await events.findSequence(call, after)
      if (event === undefined) throw unknownReference(['after'])
      // An event without a sequence is the last of all, and nothing follows it.
      afterSequence = event.sequence ?? Number.MAX_SAFE_INTEGER
    }
    const readable = listReadableTypes(call)
    const { type } = rest
    if (type !== undefined && readable?.includes(type) === false) {
      return { status: 200, body: { data: [], nextCursor: null } }
    }
    const read = () => events.listEvents(call, rest, afterSequence, readable)
    return { status: 200, body: wait === 0 ? await read() : await waitForPage(call, wait, read) }
  },

  async getEvent({ path }, call) {
    const event = await events.findEvent(call, path.eventId)
    if (event === undefined || !canReadType(call, event.type)) throw notFound()
    return { status: 200, body: event }
  },

  async listEventTypes(_input, call) {
    return { status: 200, body: { data: listEventTypes(call.services.contract) } }
  },

  async listStatusChanges({ query }, call) {
    assertCanRead(call, query.resourceId)
    return { status: 200, body: await events.listStatusChanges(call, query) }
  },
} satisfies Partial<Handlers>

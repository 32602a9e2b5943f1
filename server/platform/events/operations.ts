import type { Handlers } from '../calls/operation.ts'
import { notFound, unknownReference, validationFailed } from '../problems/problem.ts'
import { listEventTypes } from './event-types.ts'
import * as events from './queries.ts'
import { assertCanReadRecord, canReadEventType, listReadableEventTypes } from './readable-events.ts'
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
      // Reads only the position of the event, so no permission for the event is required.
      const event = await events.findEventSequence(call, after)
      if (event === undefined) throw unknownReference(['after'])
      // An event without a sequence is newer than all listed events, so no event follows it.
      afterSequence = event.sequence ?? Number.MAX_SAFE_INTEGER
    }
    const readable = listReadableEventTypes(call)
    const { type } = rest
    if (type !== undefined && readable?.includes(type) === false) {
      return { status: 200, body: { data: [], nextCursor: null } }
    }
    const read = () => events.listEvents(call, rest, afterSequence, readable)
    return { status: 200, body: wait === 0 ? await read() : await waitForPage(call, wait, read) }
  },

  async getEvent({ path }, call) {
    const event = await events.findEvent(call, path.eventId)
    if (event === undefined || !canReadEventType(call, event.type)) throw notFound()
    return { status: 200, body: event }
  },

  async listEventTypes(_input, call) {
    return { status: 200, body: { data: listEventTypes(call.services.contract) } }
  },

  async listStatusChanges({ query }, call) {
    assertCanReadRecord(call, query.resourceId)
    return { status: 200, body: await events.listStatusChanges(call, query) }
  },
} satisfies Partial<Handlers>

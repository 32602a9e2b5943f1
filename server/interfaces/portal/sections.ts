import type { Call } from '../../platform/calls/call.ts'
import type { Listed, Section } from './pages/home.ts'
import {
  documentRow,
  messageRow,
  orderRow,
  paymentRow,
  type Row,
  requestRow,
  rows,
  taskRow,
  waiverRow,
} from './pages/lists.ts'
import type { Place } from './pages/place.ts'

/** How many records of a list the overview reads. Of these, all that the vendor has to act on are shown. */
const MOST_LOOKED_AT = 30
/**
 * Of records that need no action only this many are shown, because the page must be small; the rest is one link away.
 */
const MOST_IN_SHORT = 5
const MOST_ON_PAGE = 30

interface Paged {
  limit: number
  cursor?: string
}

/** Returns the rows of each list. They are the same in the overview and on the list's own page. */
const LISTS: Readonly<
  Record<Section, (call: Call, place: Place, paged: Paged) => Promise<{ rows: Row[]; nextCursor: string | null }>>
> = {
  async requests(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalInvitations', { ...paged })
    return { rows: data.map((invitation) => requestRow(place, invitation)), nextCursor }
  },
  async orders(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalOrders', { ...paged })
    return { rows: data.map((order) => orderRow(place, order)), nextCursor }
  },
  async dates(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalTasks', { ...paged })
    return { rows: data.map((task) => taskRow(place, task)), nextCursor }
  },
  async waivers(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalLienWaivers', { ...paged })
    return { rows: data.map((waiver) => waiverRow(place, waiver)), nextCursor }
  },
  async payments(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalPayments', { ...paged })
    return { rows: data.map((payment) => paymentRow(place, payment)), nextCursor }
  },
  async documents(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalComplianceDocuments', { ...paged })
    return { rows: data.map((document) => documentRow(place, document)), nextCursor }
  },
  async messages(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalMessages', { ...paged })
    return { rows: data.map((message) => messageRow(place, message)), nextCursor }
  },
}

/** Returns a list for the overview: rows that need action first, then the newest of the rest. */
export async function inShort(call: Call, place: Place, section: Section): Promise<Listed> {
  const { rows: all, nextCursor } = await LISTS[section](call, place, { limit: MOST_LOOKED_AT })
  const [needed, others] = [all.filter(({ tone }) => tone === 'now'), all.filter(({ tone }) => tone !== 'now')]
  const shown = [...needed, ...others.slice(0, Math.max(0, MOST_IN_SHORT - needed.length))]
  const hasMore = nextCursor !== null || shown.length < all.length
  return { section, rows: shown.length === 0 ? null : rows(place, shown), nextCursor: hasMore ? '' : null }
}

export async function onPage(call: Call, place: Place, section: Section, cursor: string | undefined): Promise<Listed> {
  const paged = { limit: MOST_ON_PAGE, ...(cursor !== undefined && { cursor }) }
  const { rows: shown, nextCursor } = await LISTS[section](call, place, paged)
  return { section, rows: shown.length === 0 ? null : rows(place, shown), nextCursor }
}

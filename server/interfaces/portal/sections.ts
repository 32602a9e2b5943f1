import type { Call } from '../../platform/calls/call.ts'
import { toBillRow } from './pages/bill-page.ts'
import {
  type ListRow,
  renderRows,
  toDocumentRow,
  toDrawingRow,
  toInvitationRow,
  toMessageRow,
  toOrderRow,
  toPaymentRow,
  toTaskRow,
  toWaiverRow,
} from './pages/list-rows.ts'
import type { ListedSection, Section } from './pages/overview-page.ts'
import type { PageContext } from './pages/page-context.ts'
import { toPunchRow } from './pages/punch-page.ts'
import { toVisitRow } from './pages/visit-page.ts'

/**
 * The maximum number of records that the overview reads for a list. The overview shows all of these records that need
 * the vendor's action.
 */
const MAX_ROWS_READ = 30
/**
 * The maximum number of records in a list of the overview that need no action. The page must be short, and the list's
 * own page shows the other records.
 */
const MAX_ROWS_IN_OVERVIEW = 5
const MAX_ROWS_PER_PAGE = 30

interface PageQuery {
  limit: number
  cursor?: string
}

/** The functions that return the rows of each list, for the overview and for the list's own page. */
const LISTS: Readonly<
  Record<
    Section,
    (call: Call, place: PageContext, paged: PageQuery) => Promise<{ rows: ListRow[]; nextCursor: string | null }>
  >
> = {
  async requests(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalInvitations', { ...paged })
    return { rows: data.map((invitation) => toInvitationRow(place, invitation)), nextCursor }
  },
  async orders(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalOrders', { ...paged })
    return { rows: data.map((order) => toOrderRow(place, order)), nextCursor }
  },
  async dates(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalTasks', { ...paged })
    return { rows: data.map((task) => toTaskRow(place, task)), nextCursor }
  },
  async punch(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalPunchItems', { ...paged })
    return { rows: data.map((item) => toPunchRow(place, item)), nextCursor }
  },
  async visits(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalVisits', { ...paged })
    return { rows: data.map((visit) => toVisitRow(place, visit)), nextCursor }
  },
  async drawings(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalDrawings', { ...paged })
    return { rows: data.map((drawing) => toDrawingRow(place, drawing)), nextCursor }
  },
  async bills(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalBills', { ...paged })
    return { rows: data.map((bill) => toBillRow(place, bill)), nextCursor }
  },
  async waivers(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalLienWaivers', { ...paged })
    return { rows: data.map((waiver) => toWaiverRow(place, waiver)), nextCursor }
  },
  async payments(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalPayments', { ...paged })
    return { rows: data.map((payment) => toPaymentRow(place, payment)), nextCursor }
  },
  async documents(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalComplianceDocuments', { ...paged })
    return { rows: data.map((document) => toDocumentRow(place, document)), nextCursor }
  },
  async messages(call, place, paged) {
    const { data, nextCursor } = await call.operation('listPortalMessages', { ...paged })
    return { rows: data.map((message) => toMessageRow(place, message)), nextCursor }
  },
}

/** Returns a list for the overview: first the rows that need the vendor's action, then the newest of the other rows. */
export async function listOverviewSection(call: Call, place: PageContext, section: Section): Promise<ListedSection> {
  const { rows: all, nextCursor } = await LISTS[section](call, place, { limit: MAX_ROWS_READ })
  const [needed, others] = [all.filter(({ tone }) => tone === 'now'), all.filter(({ tone }) => tone !== 'now')]
  const shown = [...needed, ...others.slice(0, Math.max(0, MAX_ROWS_IN_OVERVIEW - needed.length))]
  const hasMore = nextCursor !== null || shown.length < all.length
  return { section, rows: shown.length === 0 ? null : renderRows(place, shown), nextCursor: hasMore ? '' : null }
}

export async function listSectionPage(
  call: Call,
  place: PageContext,
  section: Section,
  cursor: string | undefined,
): Promise<ListedSection> {
  const paged = { limit: MAX_ROWS_PER_PAGE, ...(cursor !== undefined && { cursor }) }
  const { rows: shown, nextCursor } = await LISTS[section](call, place, paged)
  return { section, rows: shown.length === 0 ? null : renderRows(place, shown), nextCursor }
}

import type { Home } from '../../../client/contract.gen.ts'
import * as communities from '../../domain/land/communities/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import type { PageResult } from '../portal/get-page.ts'
import type { PageContext } from '../portal/pages/page-context.ts'
import { renderChangePage, renderChoicePage, renderWalkthroughPage } from './decision-pages.ts'
import { renderMessageFormPage, renderThreadPage } from './message-pages.ts'
import { OWNER_SECTIONS, type OwnerOverview, renderOverviewPage, renderSectionPage } from './overview-page.ts'
import {
  findOwnChange,
  findOwnSelection,
  findOwnWalkthrough,
  findOwnWarrantyRequest,
  getHomeId,
  listOwnMessages,
  listOwnWarrantyRequests,
  listSharedFiles,
  listThread,
} from './own-records.ts'
import { chooseWords, type OwnerPage } from './owner-page.ts'
import { renderReportPage, renderRequestPage } from './warranty-pages.ts'

/** The kinds of records that have a page of their own, by ID prefix. */
export type OwnerSubject = 'selection' | 'change' | 'walkthrough' | 'request' | 'message'

const KIND_BY_PREFIX: Readonly<Record<string, OwnerSubject>> = {
  sel: 'selection',
  bco: 'change',
  wlk: 'walkthrough',
  wrq: 'request',
  msg: 'message',
}

export function toOwnerSubject(id: string): OwnerSubject | null {
  return /^[a-z]+_[0-9a-z]{26}$/.test(id) ? (KIND_BY_PREFIX[id.split('_', 1)[0] ?? ''] ?? null) : null
}

/** Renders the requested page: the overview, one of its lists, a form, or a record. */
export async function getOwnerPage(call: Call, subject: string | null, context: PageContext): Promise<PageResult> {
  const place = await toOwnerPage(call, context)
  if (subject === null) return { html: renderOverviewPage(place, await loadOverview(call, place.home)) }
  const section = OWNER_SECTIONS.find((name) => name === subject)
  if (section !== undefined) return { html: renderSectionPage(place, await loadOverview(call, place.home), section) }
  if (subject === 'report') return { html: renderReportPage(place) }
  if (subject === 'write') return { html: renderMessageFormPage(place) }
  const kind = toOwnerSubject(subject)
  if (kind === 'selection') return { html: renderChoicePage(place, await findOwnSelection(call, subject)) }
  if (kind === 'change') return { html: renderChangePage(place, await findOwnChange(call, subject)) }
  if (kind === 'message') return { html: renderThreadPage(place, await listThread(call, subject)) }
  if (kind === 'walkthrough') return getWalkPage(call, place, subject)
  if (kind === 'request') return getRequestPage(call, place, subject)
  throw notFound()
}

/** Returns the data that all pages of the owner share, in the visitor's language. */
export async function toOwnerPage(call: Call, context: PageContext): Promise<OwnerPage> {
  const home = await call.operation('getHome', { homeId: getHomeId(call) })
  const { timeZone } = await communities.find(call, home.communityId)
  const { currency, now } = call
  return { ...context, home, words: chooseWords(context), timeZone, today: toLocalDate(timeZone, now), currency }
}

const MAX_RECORDS = 100
/** The maximum number of milestones. No home has more. */
const MAX_MILESTONES = 40

async function loadOverview(call: Call, { id: homeId, saleId }: Home): Promise<OwnerOverview> {
  const of = { homeId, limit: MAX_RECORDS }
  const changes = saleId === null ? [] : await listChanges(call, saleId)
  const open = changes.filter(({ status }) => status === 'draft' || status === 'sent')
  const undecided = new Set(open.flatMap(({ lines }) => lines.map(({ optionSelectionId }) => optionSelectionId)))
  const selections = (await call.operation('listSelections', { ...of, expand: ['option'] })).data
  const walkthroughs = (await call.operation('listWalkthroughs', of)).data
  const milestones = (await call.operation('listMilestones', { homeId, limit: MAX_MILESTONES })).data
  const logs = (await call.operation('listDailyLogs', { homeId, limit: MAX_RECORDS, sort: '-logDate' })).data
  return {
    // If a selection is part of an open change, the owner decides on both together.
    selections: selections.filter(({ id }) => !undecided.has(id)),
    changes: changes.filter(({ sentAt }) => sentAt !== null),
    walkthroughs: walkthroughs.filter(({ kind }) => kind !== 'quality'),
    milestones: milestones.toSorted((a, b) => dateOf(a).localeCompare(dateOf(b))),
    logs: logs.filter(({ sharedWithOwner, status }) => sharedWithOwner && status !== 'draft'),
    requests: await listOwnWarrantyRequests(call),
    coverages: (await call.operation('listHomeCoverages', of)).data,
    files: await listSharedFiles(call),
    messages: await listOwnMessages(call),
  }
}

async function listChanges(call: Call, saleId: string) {
  return (await call.operation('listBuyerChanges', { saleId, limit: MAX_RECORDS })).data
}

function dateOf(milestone: { completedDate: string | null; forecastDate: string | null; targetDate: string | null }) {
  return milestone.completedDate ?? milestone.forecastDate ?? milestone.targetDate ?? '9999'
}

const MAX_ITEMS = 200

async function getWalkPage(call: Call, place: OwnerPage, walkthroughId: string): Promise<PageResult> {
  const walkthrough = await findOwnWalkthrough(call, walkthroughId)
  const listed = { walkthroughId, sort: 'createdAt', limit: MAX_ITEMS }
  return { html: renderWalkthroughPage(place, walkthrough, (await call.operation('listPunchItems', listed)).data) }
}

async function getRequestPage(call: Call, place: OwnerPage, warrantyRequestId: string): Promise<PageResult> {
  const request = await findOwnWarrantyRequest(call, warrantyRequestId)
  const visit = request.visitId === null ? null : await call.operation('getVisit', { visitId: request.visitId })
  const photos = (await listSharedFiles(call)).filter(
    ({ recordId, kind }) => recordId === request.id && kind === 'photo',
  )
  return { html: renderRequestPage(place, request, { visit, photos }) }
}

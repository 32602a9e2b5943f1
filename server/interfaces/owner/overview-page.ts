import type {
  BuyerChange,
  Coverage,
  DailyLog,
  Message,
  Milestone,
  Selection,
  Walkthrough,
  WarrantyRequest,
} from '../../../client/contract.gen.ts'
import { addDays } from '../../platform/values/calendar.ts'
import { escapeHtml } from '../portal/pages/html.ts'
import { type ListRow, renderRows } from '../portal/pages/list-rows.ts'
import { renderSheet } from '../portal/pages/page-context.ts'
import type { SharedFile } from './own-records.ts'
import { type OwnerPage, renderOwnerPage } from './owner-page.ts'

/** The data on the overview. */
export interface OwnerOverview {
  selections: readonly Selection[]
  changes: readonly BuyerChange[]
  walkthroughs: readonly Walkthrough[]
  milestones: readonly Milestone[]
  logs: readonly DailyLog[]
  requests: readonly WarrantyRequest[]
  coverages: readonly Coverage[]
  files: readonly SharedFile[]
  messages: readonly Message[]
}

/**
 * The maximum number of rows of a list on the overview, which keeps the page short. Each list also has its own page
 * with all rows.
 */
const MAX_ROWS = 6
const MAX_PHOTOS = 6

export const OWNER_SECTIONS = [
  'choices',
  'changes',
  'walkthroughs',
  'news',
  'photos',
  'warranty',
  'files',
  'messages',
] as const
export type OwnerSection = (typeof OWNER_SECTIONS)[number]

/** Renders the overview of a home: open decisions first, then everything else. */
export function renderOverviewPage(place: OwnerPage, overview: OwnerOverview): string {
  const { words, home } = place
  const waiting = listWaiting(place, overview)
  const ready = home.status === 'closed' || home.status === 'warranty' ? null : home.forecastCompletionDate
  const todo =
    waiting.length === 0 ? `<p class="in">${escapeHtml(words.overview.nothingToDo)}</p>` : renderRows(place, waiting)
  const milestones = overview.milestones.map((milestone) => toMilestoneRow(place, milestone))
  const isSold = home.status === 'closed' || home.status === 'warranty'
  const content = [
    `<div><h1>${escapeHtml(words.overview.title(home.name))}</h1>${ready === null ? '' : `<p class="lead">${escapeHtml(words.overview.ready(toWeek(place, ready)))}</p>`}</div>`,
    renderSheet(words.overview.todo, todo),
    // After the closing, most owners visit the page only for warranty requests, so these come first.
    ...(isSold ? [renderWarranty(place, overview)] : []),
    isSold || milestones.length === 0 ? '' : renderSheet(words.overview.schedule, renderRows(place, milestones)),
    ...OWNER_SECTIONS.filter((section) => section !== 'warranty').map((section) =>
      renderSection(place, overview, section, false),
    ),
  ]
  return renderOwnerPage(place, words.overview.title(home.name), content.filter((part) => part !== '').join('\n'))
}

/** Renders one list with all of its rows. */
export function renderSectionPage(place: OwnerPage, overview: OwnerOverview, section: OwnerSection): string {
  const title = titleOf(place, section)
  const content =
    section === 'warranty' ? renderWarranty(place, overview, true) : renderSection(place, overview, section, true)
  return renderOwnerPage(place, title, `<h1>${escapeHtml(title)}</h1>\n${content}`)
}

function titleOf({ words: { overview } }: OwnerPage, section: OwnerSection): string {
  return overview[section]
}

function renderSection(place: OwnerPage, of: OwnerOverview, section: OwnerSection, isWhole: boolean): string {
  const { words, root } = place
  const title = titleOf(place, section)
  if (section === 'photos') return renderPhotos(place, of, isWhole)
  const rows = listRows(place, of, section)
  const write =
    section === 'messages'
      ? `<p class="in"><a class="btn" href="${escapeHtml(`${root}/write`)}">${escapeHtml(words.overview.write)}</a></p>`
      : ''
  if (rows.length === 0) return write === '' ? '' : renderSheet(title, write)
  const shown = isWhole ? rows : rows.slice(0, MAX_ROWS)
  return renderSheet(
    title,
    `${renderRows(place, shown)}${write}`,
    rows.length > shown.length ? linkToAll(place, section) : '',
  )
}

function linkToAll({ words, root }: OwnerPage, section: OwnerSection): string {
  return ` <a href="${escapeHtml(`${root}/${section}`)}">${escapeHtml(words.overview.all)}</a>`
}

function listRows(place: OwnerPage, of: OwnerOverview, section: OwnerSection): ListRow[] {
  if (section === 'choices')
    return of.selections.filter((each) => !isWaiting(place, each)).map((each) => toChoiceRow(place, each))
  if (section === 'changes')
    return of.changes.filter(({ status }) => status !== 'sent').map((change) => toChangeRow(place, change))
  if (section === 'walkthroughs') return of.walkthroughs.map((walkthrough) => toWalkRow(place, walkthrough))
  if (section === 'news') return of.logs.map((log) => toLogRow(place, log))
  if (section === 'files')
    return of.files.filter(({ kind }) => kind === 'document').map((file) => toFileRow(place, file))
  if (section === 'messages') return of.messages.map((message) => toMessageRow(place, message))
  return of.requests.map((request) => toWarrantyRequestRow(place, request))
}

/** Lists what the owner must decide, sign, or confirm. */
function listWaiting(place: OwnerPage, { selections, changes, walkthroughs, requests }: OwnerOverview): ListRow[] {
  return [
    ...selections.filter((each) => isWaiting(place, each)).map((each) => toChoiceRow(place, each)),
    ...changes.filter(({ status }) => status === 'sent').map((change) => toChangeRow(place, change)),
    ...walkthroughs
      .filter(({ status, date }) => status === 'open' && date <= place.today)
      .map((walkthrough) => toWalkRow(place, walkthrough)),
    ...requests.filter(({ status }) => status === 'completed').map((request) => toWarrantyRequestRow(place, request)),
  ]
}

/** Returns whether the owner can still decide on the selection. */
function isWaiting({ today }: OwnerPage, { status, deadline }: Selection): boolean {
  return status === 'pending' && (deadline === null || deadline >= today)
}

export function toSelectionName({ option, customDescription, id }: Selection): string {
  return option?.name ?? customDescription ?? id
}

function toChoiceRow(place: OwnerPage, selection: Selection): ListRow {
  const { words, reader, currency } = place
  const { id, status, location, color, difference, deadline } = selection
  const price = difference === null || difference === 0 ? null : reader.money(difference, currency)
  const isOpen = isWaiting(place, selection)
  const until = isOpen && deadline !== null ? words.overview.by(reader.shortDate(deadline)) : null
  return {
    ...{ id, name: toSelectionName(selection) },
    more: [location, color, price, until].filter((part) => part !== null).join(' · '),
    state: status === 'pending' && !isOpen ? words.choice.tooLate : words.choice.decided[status],
    tone: isOpen ? 'now' : status === 'declined' || status === 'cancelled' || status === 'pending' ? undefined : 'ok',
  }
}

function toChangeRow({ words, reader }: OwnerPage, change: BuyerChange): ListRow {
  const { id, number, title, status, price, currency } = change
  return {
    ...{ id, name: `${words.change.title(number)}: ${title}`, more: reader.money(price, currency) },
    state: status === 'draft' ? '' : words.change.states[status],
    tone: status === 'sent' ? 'now' : status === 'approved' ? 'ok' : undefined,
  }
}

function toWalkRow({ words, reader, today }: OwnerPage, walkthrough: Walkthrough): ListRow {
  const { id, kind, date, signature, status } = walkthrough
  const isOpen = status === 'open'
  return {
    ...{ id, name: words.walk.kinds[kind], more: reader.longDate(date) },
    state: signature !== null || !isOpen ? words.overview.done : words.walk.open,
    tone: isOpen && date <= today ? 'now' : isOpen ? undefined : 'ok',
  }
}

function toMilestoneRow(
  place: OwnerPage,
  { name, status, completedDate, forecastDate, targetDate }: Milestone,
): ListRow {
  const { words, reader } = place
  const isDone = status === 'completed'
  const date = forecastDate ?? targetDate
  return {
    ...{ id: null, name, tone: isDone ? 'ok' : undefined },
    // Shows only the week, because a date would be a promise, and schedules change.
    more: isDone || date === null ? '' : words.overview.weekOf(toWeek(place, date)),
    state: isDone ? (completedDate === null ? words.overview.done : reader.shortDate(completedDate)) : '',
  }
}

/** Returns the first day of a date's week, such as "Mon, Dec 7". */
function toWeek({ reader }: OwnerPage, date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  return reader.shortDate(addDays(date, -((weekday + 6) % 7)))
}

function toLogRow({ words, reader }: OwnerPage, { logDate, ownerNote, weather }: DailyLog): ListRow {
  const sky = weather === null ? '' : words.log.weather[weather.condition]
  return { id: null, name: reader.longDate(logDate), more: ownerNote ?? '', state: sky }
}

export function toWarrantyRequestRow({ words, reader, timeZone, now }: OwnerPage, request: WarrantyRequest): ListRow {
  const { id, number, location, description, status } = request
  const isDue = status === 'new' && new Date(request.respondBy) > now
  const until = isDue ? words.overview.by(reader.dayOf(request.respondBy, timeZone)) : ''
  return {
    id,
    name: [number, location].filter((part) => part !== null).join(', '),
    more: [description.slice(0, 120), until].filter((part) => part !== '').join(' · '),
    state: words.warranty.states[status],
    tone: status === 'completed' ? 'now' : status === 'closed' ? 'ok' : undefined,
  }
}

function toFileRow({ reader, timeZone }: OwnerPage, { id, fileName, caption, at }: SharedFile): ListRow {
  return { id: `files/${id}`, name: caption ?? fileName, more: reader.dayOf(at, timeZone), state: '' }
}

function toMessageRow({ words, builder, reader, timeZone }: OwnerPage, message: Message): ListRow {
  const { id, subject, body, sender, sentAt } = message
  return {
    ...{ id, name: subject ?? body.slice(0, 80), more: sentAt === null ? '' : reader.dayOf(sentAt, timeZone) },
    state: sender.type === 'home_owner' ? words.overview.fromYou : builder,
  }
}

function renderPhotos(place: OwnerPage, { files }: OwnerOverview, isWhole: boolean): string {
  const photos = files.filter(({ kind }) => kind === 'photo')
  if (photos.length === 0) return ''
  const shown = isWhole ? photos : photos.slice(0, MAX_PHOTOS)
  return renderSheet(
    place.words.overview.photos,
    renderThumbnails(place, shown),
    photos.length > shown.length ? linkToAll(place, 'photos') : '',
  )
}

/** Renders photos as small pictures that link to larger ones. */
export function renderThumbnails({ root, reader, timeZone }: OwnerPage, photos: readonly SharedFile[]): string {
  const items = photos.map(({ id, caption, at }) => {
    const path = escapeHtml(`${root}/photos/${id}`)
    const text = [caption, reader.dayOf(at, timeZone)].filter((part) => part !== null).join(', ')
    return `<a href="${path}?size=screen"><img src="${path}" alt="${escapeHtml(text)}" width="96" height="96" loading="lazy"></a>`
  })
  return `<div class="in"><p>${items.join(' ')}</p></div>`
}

function renderWarranty(place: OwnerPage, of: OwnerOverview, isWhole = false): string {
  const { words, root, reader } = place
  const rows = of.requests.map((request) => toWarrantyRequestRow(place, request))
  const shown = isWhole ? rows : rows.slice(0, MAX_ROWS)
  const report = `<p class="in"><a class="btn go" href="${escapeHtml(`${root}/report`)}">${escapeHtml(words.overview.report)}</a></p>`
  const covered = of.coverages.map(({ name, endDate }) => ({
    ...{ id: null, name, more: '', state: words.warranty.until(reader.shortDate(endDate)) },
  }))
  const terms =
    covered.length === 0
      ? ''
      : `<details><summary>${escapeHtml(words.warranty.covered)}</summary>${renderRows(place, covered)}</details>`
  return renderSheet(
    words.overview.warranty,
    `${rows.length === 0 ? '' : renderRows(place, shown)}${report}${terms}`,
    rows.length > shown.length ? linkToAll(place, 'warranty') : '',
  )
}

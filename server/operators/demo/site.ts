import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '../../../client/contract.gen.ts'
import { type RowOf, readRows, splitList } from './data-files.ts'
import { createPlaceholderPdf } from './placeholder-pdf.ts'
import type { NamedIds, Timeline } from './timeline.ts'

interface SiteInputs {
  readonly homes: NamedIds<Home>
  readonly vendors: NamedIds<string>
  readonly plans: NamedIds<string>
}

type Photo = 'slab' | 'framing' | 'roof' | 'punch' | 'leak'

/**
 * Adds the records of superintendents on the sites and after closings: permits, inspections, daily logs with photos,
 * walkthroughs with punch items, warranty requests, and drawings with their revisions.
 */
export class Site {
  readonly #timeline: Timeline
  readonly #made: SiteInputs

  constructor(timeline: Timeline, created: SiteInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const sheet of SHEETS) this.#timeline.on(sheet.daysAgo, (ago) => this.#addSheet(ago, sheet))
    for (const permit of PERMITS) this.#timeline.on(permit.appliedDaysAgo, (ago) => this.#apply(ago, permit))
    for (const inspection of INSPECTIONS)
      this.#timeline.on(inspection.daysAgo, (ago) => this.#requestInspection(ago, inspection))
    for (const log of readRows('daily-logs')) this.#timeline.on(Number(log.daysAgo), (ago) => this.#writeLog(ago, log))
    for (const walk of WALKTHROUGHS) this.#timeline.on(walk.daysAgo, (ago) => this.#walk(ago, walk))
    for (const request of WARRANTY_REQUESTS) this.#timeline.on(request.daysAgo, (ago) => this.#report(ago, request))
  }

  #homeId(home: string): string {
    return this.#made.homes.get(home).id
  }

  async #upload(ago: number, recordId: string, photo: Photo, fields: object = {}): Promise<void> {
    await this.#timeline.do(ago, 'uploadAttachment', {
      ...{ recordId, fileName: `${photo}.jpg`, kind: 'photo', ...fields },
      content: readFileSync(path.join(import.meta.dirname, 'data/photos', `${photo}.jpg`)).toString('base64'),
    })
  }

  async #addSheet(ago: number, { sheetNumber, title, discipline, scopes, revisions }: DemoSheet): Promise<void> {
    const planId = this.#made.plans.get('P2100')
    const sheet = { planId, sheetNumber, title, discipline, scopes }
    const { id: drawingId } = await this.#timeline.do(ago, 'createDrawing', sheet)
    for (const { label, daysAgo, note } of revisions)
      this.#timeline.on(daysAgo, async (day) => {
        const { id: attachmentId } = await this.#timeline.do(day, 'uploadAttachment', {
          ...{ recordId: drawingId, fileName: `${sheetNumber}-${label}.pdf`, kind: 'document' },
          content: createPlaceholderPdf(`${sheetNumber} ${title}, revision ${label}`).toString('base64'),
        })
        const issuedDate = this.#timeline.date(day)
        const revision = { drawingId, attachmentId, label, issuedDate, ...(note !== undefined && { note }) }
        await this.#timeline.do(day, 'issueDrawingRevision', revision)
      })
  }

  async #apply(ago: number, permit: DemoPermit): Promise<void> {
    const { home, number, issuedDaysAgo, expiresInDays, finaledDaysAgo } = permit
    const { id: permitId } = await this.#timeline.do(ago, 'createPermit', {
      ...{ homeId: this.#homeId(home), permitType: 'building', authority: permit.authority, feeAmount: 1840 },
      appliedDate: this.#timeline.date(ago),
    })
    if (issuedDaysAgo === undefined) return
    this.#timeline.on(issuedDaysAgo, async (day) => {
      await this.#timeline.do(day, 'changePermitStatus', { permitId, status: 'issued', number })
      const expiryDate = this.#timeline.date(-(expiresInDays ?? 240))
      await this.#timeline.do(day, 'updatePermit', { permitId, expiryDate })
    })
    if (finaledDaysAgo !== undefined)
      this.#timeline.on(finaledDaysAgo, (day) =>
        this.#timeline.do(day, 'changePermitStatus', { permitId, status: 'finaled' }),
      )
  }

  async #requestInspection(ago: number, { home, name, attempts, items }: DemoInspection): Promise<void> {
    const [first] = attempts
    const { id } = await this.#timeline.do(ago, 'createInspection', {
      ...{ homeId: this.#homeId(home), name, items: items.map((text) => ({ text })), window: 'am' },
      scheduledDate: this.#timeline.date(first?.daysAgo ?? ago),
    })
    if (first !== undefined) this.#inspect(id, attempts)
  }

  /** Records the result of an attempt on its day, and then the results of the attempts after it. */
  #inspect(inspectionId: string, [attempt, ...later]: readonly DemoAttempt[]): void {
    if (attempt?.result === undefined) return
    const { result, failed, daysAgo } = attempt
    this.#timeline.on(daysAgo, async (day) => {
      const { items } = await this.#timeline.do(day, 'getInspection', { inspectionId })
      const judged = items.map(({ punchItemId: _, ...item }) =>
        failed?.text === item.text
          ? { ...item, result: 'fail', note: failed.note, scope: failed.scope, vendorId: this.#vendorOf(failed.vendor) }
          : { ...item, result: 'pass' },
      )
      const next = later[0] === undefined ? {} : { reinspection: { date: this.#timeline.date(later[0].daysAgo) } }
      const recorded = await this.#timeline.do(day, 'recordInspectionResult', {
        ...{ inspectionId, result, inspectorName: 'R. Alvarez', items: judged, ...next },
      })
      if (recorded.reinspection !== null) this.#inspect(recorded.reinspection.id, later)
    })
  }

  #vendorOf(name: string): string {
    return this.#made.vendors.get(name)
  }

  async #writeLog(ago: number, log: RowOf<'daily-logs'>): Promise<void> {
    const { condition, workDone, ownerNote, photo } = log
    const noShow = log.noShow === 'true'
    const crew = { vendorId: this.#vendorOf(log.crew), headcount: Number(log.headcount), hours: noShow ? 0 : 8, noShow }
    const { id: dailyLogId } = await this.#timeline.do(ago, 'createDailyLog', {
      ...{ homeId: this.#homeId(log.home), logDate: this.#timeline.date(ago), workDone, crews: [crew] },
      weather: { condition, high: 71, low: 48, workable: condition !== 'rain' },
      ...(ownerNote !== '' && { ownerNote, sharedWithOwner: true }),
    })
    if (photo !== '') {
      const shared = { caption: ownerNote === '' ? workDone : ownerNote, sharedWithOwner: ownerNote !== '' }
      await this.#upload(ago, dailyLogId, photo as Photo, shared)
    }
    await this.#timeline.do(ago, 'submitDailyLog', { dailyLogId })
  }

  async #walk(ago: number, { home, kind, signedBy }: DemoWalkthrough): Promise<void> {
    const homeId = this.#homeId(home)
    const date = this.#timeline.date(ago)
    const { id: walkthroughId } = await this.#timeline.do(ago, 'createWalkthrough', { homeId, kind, date })
    for (const row of readRows('punch-items')) {
      if (row.walkthrough !== `${home} ${kind}`) continue
      const { location, description, scope, vendor, dueInDays, priority, photo, moves, reason } = row
      const { id: punchItemId } = await this.#timeline.do(ago, 'createPunchItem', {
        ...{ homeId, walkthroughId, location, description, scope, ownerVisible: kind !== 'quality' },
        ...(priority !== '' && { priority }),
        ...(vendor !== '' && {
          ...{ vendorId: this.#vendorOf(vendor), dueDate: this.#timeline.date(ago - Number(dueInDays)) },
        }),
      })
      if (photo !== '') await this.#upload(ago, punchItemId, 'punch', { stage: 'before' })
      const steps = splitList(moves).map((move) => move.split(':'))
      steps.forEach(([status, daysAgo], i) => {
        // Only the last change has a reason.
        const change = { punchItemId, status, ...(i === steps.length - 1 && reason !== '' && { reason }) }
        this.#timeline.on(Number(daysAgo), (day) => this.#timeline.do(day, 'changePunchItemStatus', change))
      })
    }
    if (signedBy !== undefined)
      await this.#timeline.do(ago, 'closeWalkthrough', { walkthroughId, signedBy, consent: true })
  }

  async #report(ago: number, request: DemoWarrantyRequest): Promise<void> {
    const { decision, vendor, visitInDays, completedDaysAgo, closedDaysAgo, reason, photo = false } = request
    const { location, description, scope, severity, source = 'phone' } = request
    const { id: warrantyRequestId } = await this.#timeline.do(ago, 'createWarrantyRequest', {
      ...{ homeId: this.#homeId('CH 3'), location, description, scope, severity, source },
      reportedBy: 'Rosalind Keppler',
    })
    if (photo) await this.#upload(ago, warrantyRequestId, 'leak', { sharedWithOwner: true })
    if (decision === undefined) return
    const decided = { warrantyRequestId, decision, ...(reason !== undefined && { reason }) }
    await this.#timeline.do(ago, 'decideWarrantyRequest', decided)
    if (vendor === undefined) return
    await this.#timeline.do(ago, 'assignWarrantyRequest', { warrantyRequestId, vendorId: this.#vendorOf(vendor) })
    if (visitInDays !== undefined) {
      const date = this.#timeline.date(-visitInDays)
      const visit = { requestIds: [warrantyRequestId], date, window: 'am' }
      const { id: visitId } = await this.#timeline.do(ago, 'createVisit', visit)
      await this.#timeline.do(ago, 'changeVisitStatus', { visitId, status: 'confirmed' })
    }
    if (completedDaysAgo === undefined) return
    this.#timeline.on(completedDaysAgo, async (day) => {
      await this.#upload(day, warrantyRequestId, 'leak', { stage: 'after', caption: 'Repaired' })
      await this.#timeline.do(day, 'changeWarrantyRequestStatus', { warrantyRequestId, status: 'completed' })
    })
    if (closedDaysAgo !== undefined)
      this.#timeline.on(closedDaysAgo, (day) => {
        const closed = { warrantyRequestId, status: 'closed', signedBy: 'Rosalind Keppler' }
        return this.#timeline.do(day, 'changeWarrantyRequestStatus', closed)
      })
  }
}

interface DemoSheet {
  daysAgo: number
  sheetNumber: string
  title: string
  discipline: string
  /** The trades that can see the sheet; empty for all trades. */
  scopes: readonly string[]
  revisions: readonly { label: string; daysAgo: number; note?: string }[]
}

/** The sheets of the plan P2100. */
const SHEETS: readonly DemoSheet[] = [
  ...listFirstSheets([
    ['A-101', 'Floor plan', 'architectural'],
    ['A-201', 'Elevations', 'architectural'],
    ['S-101', 'Foundation', 'structural', 'foundation'],
    ['S-201', 'Framing', 'structural', 'framing'],
    ['T-101', 'Roof trusses', 'truss', 'framing'],
    ['P-101', 'Plumbing', 'plumbing', 'plumbing'],
    ['M-101', 'Ducts and registers', 'mechanical', 'hvac'],
  ]),
  {
    ...{ daysAgo: 381, sheetNumber: 'E-101', title: 'Electrical', discipline: 'electrical', scopes: ['electrical'] },
    revisions: [
      { label: 'A', daysAgo: 380 },
      { label: 'B', daysAgo: 378, note: 'Outlets at the island.' },
      { label: 'C', daysAgo: 8, note: 'Panel moved to the garage.' },
    ],
  },
]

/** Returns sheets that were never revised. Each has a number, a title, a discipline, and the trades that see it. */
function listFirstSheets(sheets: readonly [string, string, string, ...string[]][]): DemoSheet[] {
  return sheets.map(([sheetNumber, title, discipline, ...scopes]) => ({
    ...{ daysAgo: 381, sheetNumber, title, discipline, scopes, revisions: [{ label: 'A', daysAgo: 380 }] },
  }))
}

interface DemoPermit {
  home: string
  authority: string
  appliedDaysAgo: number
  number?: string
  issuedDaysAgo?: number
  /** The number of days until the permit expires. Defaults to eight months. */
  expiresInDays?: number
  finaledDaysAgo?: number
}

const PERMITS: readonly DemoPermit[] = [
  {
    ...{ home: 'CH 3', authority: 'Dripping Springs', appliedDaysAgo: 238, number: '2026-0412' },
    ...{ issuedDaysAgo: 206, finaledDaysAgo: 73 },
  },
  { home: 'CH 9', authority: 'Dripping Springs', appliedDaysAgo: 189, number: '2026-0518', issuedDaysAgo: 166 },
  { home: 'JR 14', authority: 'City of Austin', appliedDaysAgo: 94, number: '2026-118842', issuedDaysAgo: 73 },
  {
    ...{ home: 'JR 16', authority: 'City of Austin', appliedDaysAgo: 89, number: '2026-119107' },
    ...{ issuedDaysAgo: 69, expiresInDays: 12 },
  },
  { home: 'JR 23', authority: 'City of Austin', appliedDaysAgo: 29 },
]

interface DemoAttempt {
  daysAgo: number
  /** The result of the attempt; undefined if it has not taken place yet. */
  result?: 'passed' | 'failed'
  failed?: { text: string; note: string; scope: string; vendor: string }
}

interface DemoInspection {
  home: string
  daysAgo: number
  name: string
  items: readonly string[]
  attempts: readonly DemoAttempt[]
}

const FRAMERS = 'Lone Star Framing LLC'

const INSPECTIONS: readonly DemoInspection[] = [
  {
    ...{ home: 'JR 14', daysAgo: 9, name: 'Shear wall inspection' },
    items: ['Nailing of the shear walls', 'Hold-downs', 'Fire blocking'],
    attempts: [
      {
        ...{ daysAgo: 7, result: 'failed' },
        failed: {
          ...{ text: 'Fire blocking', note: 'Missing at the stair.' },
          ...{ scope: 'framing', vendor: FRAMERS },
        },
      },
      { daysAgo: 4, result: 'passed' },
    ],
  },
  {
    ...{ home: 'JR 16', daysAgo: 6, name: 'Anchor bolt inspection' },
    items: ['Anchor bolts', 'Sill plates'],
    attempts: [
      {
        ...{ daysAgo: 1, result: 'failed' },
        failed: {
          ...{ text: 'Anchor bolts', note: 'Two bolts are short at the garage.' },
          ...{ scope: 'framing', vendor: FRAMERS },
        },
      },
      { daysAgo: -2 },
    ],
  },
  { home: 'JR 14', daysAgo: 2, name: 'Gas line inspection', items: ['Pressure test'], attempts: [{ daysAgo: -3 }] },
]

interface DemoWalkthrough {
  home: string
  daysAgo: number
  kind: 'quality' | 'orientation' | 'final'
  signedBy?: string
}

/** Their items are in a file, which names each walkthrough by home and kind. */
const WALKTHROUGHS: readonly DemoWalkthrough[] = [
  { home: 'CH 9', daysAgo: 12, kind: 'quality' },
  { home: 'CH 9', daysAgo: 3, kind: 'final' },
]

interface DemoWarrantyRequest {
  daysAgo: number
  location: string
  description: string
  scope: string
  severity: 'emergency' | 'urgent' | 'routine'
  source?: 'owner_page' | 'email'
  decision?: 'covered' | 'goodwill' | 'not_covered'
  reason?: string
  vendor?: string
  visitInDays?: number
  completedDaysAgo?: number
  closedDaysAgo?: number
  photo?: boolean
}

/** The problems that the owners of CH 3 have reported since their home closed. */
const WARRANTY_REQUESTS: readonly DemoWarrantyRequest[] = [
  {
    ...{ daysAgo: 48, location: 'Kitchen', description: 'The disposal does not run.', scope: 'electrical' },
    ...{
      severity: 'routine',
      decision: 'covered',
      vendor: 'Summit Electric Co.',
      completedDaysAgo: 44,
      closedDaysAgo: 42,
    },
  },
  {
    ...{ daysAgo: 31, location: 'Garden', description: 'The grass has dry spots.', scope: 'landscaping' },
    ...{ severity: 'routine', decision: 'not_covered', reason: 'Watering is described in the owner manual.' },
  },
  {
    ...{ daysAgo: 20, location: 'Bedroom 3', description: 'One window does not lock.', scope: 'windows' },
    ...{ severity: 'routine', decision: 'covered', vendor: 'Clearview Windows' },
  },
  {
    ...{ daysAgo: 9, location: 'Hall bath', description: 'The toilet runs on.', scope: 'plumbing' },
    ...{ severity: 'routine', decision: 'covered', vendor: 'Brightwater Plumbing', completedDaysAgo: 2 },
  },
  {
    ...{ daysAgo: 4, location: 'Under the sink', description: 'Water drips from the trap.', scope: 'plumbing' },
    ...{ severity: 'urgent', source: 'owner_page', photo: true, decision: 'covered', vendor: 'Brightwater Plumbing' },
    visitInDays: 1,
  },
  {
    ...{ daysAgo: 3, location: 'Attic', description: 'A stain grows on the ceiling.', scope: 'roofing' },
    ...{ severity: 'emergency', source: 'owner_page' },
  },
  {
    ...{ daysAgo: 0.2, location: 'Study', description: 'The door squeaks.', scope: 'trim' },
    ...{ severity: 'routine', source: 'email' },
  },
]

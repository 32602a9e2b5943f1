import type {
  ClockIn,
  ClockOut,
  DailyLog,
  DailyLogCreate,
  DailyLogCrewInput,
  DailyLogUpdate,
  DailyLogWeather,
  DelayReason,
  FieldHome,
  FieldInspection,
  FieldLog,
  FieldPunchItem,
  FieldTask,
  FieldWalkthrough,
  InspectionResultCreate,
  PunchItemCreate,
  PunchItemStatusChange,
  TaskCompletion,
  TaskDelayCreate,
  TaskStatusMove,
  WalkthroughClosing,
} from '../../../client/contract.gen.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatCount } from '../../ui/text-formats.ts'
import type { Basis, DayChange, NewEntry, StoredFile } from '../outbox/entry.ts'
import { addDays, toLocalDate } from './dates.ts'

/** A photo that is ready to be sent. */
export interface Photo extends StoredFile {
  takenAt: string
}

/** The number of days until a new punch item is due. */
const PUNCH_ITEM_DAYS = 3

/**
 * Returns the fields on which a change of a task depends. Leaves out the task's dates, because every change of the
 * schedule moves them.
 */
function basisOfTask({ id, version, status, vendorId, checklist }: FieldTask): Basis {
  return { path: `/api/ext/tasks/${id}`, version, fields: { status, vendorId, checklist } }
}

/** The reason for changing a task although its predecessors are not completed. Null if all of them are completed. */
type Force = string | null

export function completeTask(
  home: FieldHome,
  task: FieldTask,
  { photo, checklist, force }: { photo: Photo | null; checklist: FieldTask['checklist']; force: Force },
): NewEntry[] {
  const date = toLocalDate(home.timeZone)
  const isChecked = checklist.some(({ done }, i) => done !== task.checklist[i]?.done)
  const body: TaskCompletion = {
    ...{ date, force: force !== null, ...(force !== null && { reason: force }) },
    ...(isChecked && { checklist }),
  }
  return [
    {
      ...{ title: `Complete ${task.name}`, place: home.name, method: 'POST', about: task.id },
      ...{ path: `/api/ext/tasks/${task.id}/complete`, body, basis: basisOfTask(task) },
      changes: [{ part: 'tasks', id: task.id, set: { status: 'completed', actualEnd: date, checklist } }],
    },
    ...(photo === null ? [] : [addPhoto(home, task.id, task.name, photo)]),
  ]
}

export function changeTaskStatus(
  home: FieldHome,
  task: FieldTask,
  status: TaskStatusMove['status'],
  reason: string | null,
): NewEntry[] {
  const isStart = status === 'in_progress' && task.status === 'not_started'
  const body: TaskStatusMove = {
    ...{ status, force: isStart && reason !== null },
    ...(isStart && { date: toLocalDate(home.timeZone) }),
    ...(reason !== null && { reason }),
  }
  const verb = status === 'on_hold' ? 'Hold' : task.status === 'on_hold' ? 'Resume' : 'Start'
  return [
    {
      ...{ title: `${verb} ${task.name}`, place: home.name, method: 'POST', about: task.id },
      ...{ path: `/api/ext/tasks/${task.id}/status`, body, basis: basisOfTask(task) },
      changes: [
        {
          ...{ part: 'tasks', id: task.id },
          set: { status, ...(isStart && { actualStart: toLocalDate(home.timeZone), waitsFor: [] }) },
        },
      ],
    },
  ]
}

export function delayTask(
  home: FieldHome,
  task: FieldTask,
  { days, reasonCode, note }: { days: number; reasonCode: DelayReason; note: string | null },
): NewEntry[] {
  const body: TaskDelayCreate = { days, reasonCode, ...(note !== null && { note }) }
  return [
    {
      ...{ title: `Delay ${task.name} by ${formatCount(days, 'workday')}`, place: home.name },
      ...{ method: 'POST', path: `/api/ext/tasks/${task.id}/delay`, about: task.id, body, basis: basisOfTask(task) },
    },
  ]
}

export function recordResult(home: FieldHome, inspection: FieldInspection, body: InspectionResultCreate): NewEntry[] {
  const { id, version, status, name, taskId } = inspection
  return [
    {
      ...{ title: `${name}: ${body.result}`, place: home.name, method: 'POST', about: taskId ?? id },
      path: `/api/ext/inspections/${id}/result`,
      body: { date: toLocalDate(home.timeZone), ...body },
      basis: { path: `/api/ext/inspections/${id}`, version, fields: { status } },
      changes: [
        { part: 'inspections', remove: id },
        ...(taskId !== null && body.result === 'passed'
          ? [
              {
                part: 'tasks',
                id: taskId,
                set: { status: 'completed', actualEnd: toLocalDate(home.timeZone) },
              } as const,
            ]
          : []),
      ],
    },
  ]
}

/** Records the result of an inspection task that has no requested inspection. */
export function recordTaskResult(home: FieldHome, task: FieldTask, result: 'passed' | 'failed'): NewEntry[] {
  const date = toLocalDate(home.timeZone)
  const body: TaskCompletion = { date, inspectionResult: result }
  return [
    {
      ...{ title: `${task.name}: ${result}`, place: home.name, method: 'POST', about: task.id },
      ...{ path: `/api/ext/tasks/${task.id}/complete`, body, basis: basisOfTask(task) },
      changes:
        result === 'passed' ? [{ part: 'tasks', id: task.id, set: { status: 'completed', actualEnd: date } }] : [],
    },
  ]
}

/** The fields of a daily log that the form contains. */
export type LogFields = Required<Pick<DailyLogCreate, 'weather' | 'crews' | 'safety'>> & { workDone: string | null }

export function writeLog(home: FieldHome, fields: LogFields): NewEntry[] {
  const logDate = toLocalDate(home.timeZone)
  const about = `log ${home.id} ${logDate}`
  const { workDone, ...rest } = fields
  const body: DailyLogCreate = { homeId: home.id, logDate, ...rest, ...(workDone !== null && { workDone }) }
  const added: FieldLog = {
    ...{ id: '', homeId: home.id, logDate, status: 'submitted', weather: null, crewCount: fields.crews.length },
    ...{ workDone, editableUntil: new Date(Date.now() + 2 * 24 * 60 * 60 * 1000).toISOString(), version: 1 },
  }
  return [
    {
      ...{ title: 'Daily log', place: home.name, method: 'POST', path: '/api/ext/daily-logs', about, body },
      changes: [{ part: 'logs', add: added }],
    },
    {
      ...{ title: 'Submit the daily log', place: home.name, method: 'POST', after: 'previous' },
      ...{ path: '/api/ext/daily-logs/{recordId}/submit', about },
    },
  ]
}

/**
 * Returns the change that adds the content of a new log to the existing log of the day. The change contains the
 * complete lists, because it replaces the existing ones. Weather in the existing log is kept.
 */
export function addToLog(
  log: DailyLog,
  { workDone, crews = [], safety = [], weather }: DailyLogCreate,
): DailyLogUpdate {
  const text = [log.workDone, workDone ?? null].filter((part) => part !== null).join('\n')
  const isListed = ({ vendorId = null, scope = null }: DailyLogCrewInput) =>
    vendorId !== null && log.crews.some((crew) => crew.vendorId === vendorId && crew.scope === scope)
  return {
    ...(text !== '' && { workDone: text }),
    crews: [...log.crews, ...crews.filter((crew) => !isListed(crew))],
    safety: [...log.safety, ...safety],
    ...(log.weather === null && weather !== undefined && { weather }),
  }
}

/**
 * Adds work to the existing log of the day, if the log can still be edited. If `weather` is null, it is not changed.
 */
export function extendLog(
  home: FieldHome,
  log: FieldLog,
  { workDone, weather }: { workDone: string | null; weather: DailyLogWeather | null },
): NewEntry[] {
  const about = `log ${home.id} ${log.logDate}`
  const text = [log.workDone, workDone].filter((part) => part !== null).join('\n')
  const body: DailyLogUpdate = { ...(weather !== null && { weather }), ...(text !== '' && { workDone: text }) }
  const update: NewEntry = {
    ...{ title: 'Add to the daily log', place: home.name, method: 'PATCH', path: `/api/ext/daily-logs/${log.id}` },
    ...{ about, body },
    basis: { path: `/api/ext/daily-logs/${log.id}`, version: log.version, fields: { workDone: log.workDone } },
    changes: [{ part: 'logs', id: log.id, set: { workDone: text, status: 'submitted' } }],
  }
  if (log.status !== 'draft') return [update]
  const submit: NewEntry = {
    ...{ title: 'Submit the daily log', place: home.name, method: 'POST', about, after: 'previous' },
    path: `/api/ext/daily-logs/${log.id}/submit`,
  }
  return [update, submit]
}

interface NewPunchItem {
  location: string
  scope: string
  description: string
  isBeforeClosing: boolean
  photo: Photo | null
  /** Open walkthrough during which the item is found. */
  walkthrough?: FieldWalkthrough | null
}

/** Adds a line to the list that the buyer signs. The service increases the version with each new item. */
function addToList({ id, list, version }: FieldWalkthrough, line: string): DayChange {
  const [head = '', items = ''] = list.split('\n\n')
  const lines = [...(items.startsWith('P-') || items.startsWith('New ') ? [items] : []), line].join('\n')
  return { part: 'walkthroughs', id, set: { list: `${head}\n\n${lines}`, version: version + 1 } }
}

export function addPunchItem(home: FieldHome, given: NewPunchItem): NewEntry[] {
  const { location, scope, photo, walkthrough = null } = given
  const vendorId = home.trades.find((trade) => trade.scope === scope)?.vendorId ?? null
  const description = given.description.trim() || `${humanizeName(scope)} in ${location}. See the photo.`
  const dueDate = vendorId === null ? null : addDays(toLocalDate(home.timeZone), PUNCH_ITEM_DAYS)
  const priority = given.isBeforeClosing ? 'before_closing' : 'routine'
  const body: PunchItemCreate = {
    ...{ homeId: home.id, location, scope, description, priority },
    ...(vendorId !== null && dueDate !== null && { vendorId, dueDate }),
    ...(walkthrough !== null && { walkthroughId: walkthrough.id }),
  }
  const added: FieldPunchItem = {
    ...{ id: '', number: 'New', homeId: home.id, location, scope, description, priority, vendorId, dueDate },
    ...{ status: vendorId === null ? 'open' : 'assigned', disputeNote: null },
  }
  const photoEntry = photo === null ? [] : [{ ...addPhoto(home, '{recordId}', description, photo), after: 'previous' }]
  return [
    {
      ...{ title: `Punch item: ${description}`, place: home.name, method: 'POST', path: '/api/ext/punch-items' },
      // The items of a walkthrough arrive before its signature.
      about: walkthrough === null ? `punch ${crypto.randomUUID()}` : `walkthrough ${walkthrough.id}`,
      body,
      changes: [
        { part: 'punchItems', add: added },
        ...(walkthrough === null ? [] : [addToList(walkthrough, `New ${location}: ${description}`)]),
      ],
    },
    ...photoEntry,
  ]
}

export function changePunchItem(
  home: FieldHome,
  item: FieldPunchItem,
  status: 'fixed' | 'verified' | 'assigned',
  reason: string | null,
): NewEntry[] {
  const verb = { fixed: 'Fixed', verified: 'Verify', assigned: 'Reopen' }[status]
  const body: PunchItemStatusChange = { status, ...(reason !== null && { reason }) }
  return [
    {
      ...{ title: `${verb}: ${item.number}`, place: home.name, method: 'POST', about: item.id, body },
      path: `/api/ext/punch-items/${item.id}/status`,
      changes: [
        status === 'verified'
          ? { part: 'punchItems', remove: item.id }
          : { part: 'punchItems', id: item.id, set: { status } },
      ],
    },
  ]
}

interface DrawnSignature {
  signedBy: string
  picture: Photo
}

/** Closes a walkthrough with the name of the buyer, and then adds the drawn signature. */
export function signWalkthrough(
  home: FieldHome,
  { id, version }: FieldWalkthrough,
  { signedBy, picture }: DrawnSignature,
): NewEntry[] {
  const body: WalkthroughClosing = { signedBy, consent: true, version }
  const title = `Signature of ${signedBy}`
  return [
    {
      ...{ title: 'Sign the walkthrough', place: home.name, method: 'POST', about: `walkthrough ${id}`, body },
      ...{ path: `/api/ext/walkthroughs/${id}/close`, changes: [{ part: 'walkthroughs', remove: id }] },
    },
    { ...addPicture(home, id, { kind: 'signature', title, caption: signedBy }, picture), after: 'previous' },
  ]
}

/** Adds the drawn signature of a person on site to a daily log. */
export function signLog(home: FieldHome, { id }: FieldLog, { signedBy, picture }: DrawnSignature): NewEntry {
  const title = `Signature of ${signedBy}`
  return addPicture(home, id, { kind: 'signature', title, caption: signedBy }, picture)
}

/** Attaches a photo to a record. `recordId` is `{recordId}` if the record has not been created yet. */
export function addPhoto(home: FieldHome, recordId: string, caption: string, photo: Photo): NewEntry {
  return addPicture(home, recordId, { kind: 'photo', title: `Photo: ${caption}`, caption }, photo)
}

function addPicture(
  home: FieldHome,
  recordId: string,
  { kind, title, caption }: { kind: 'photo' | 'signature'; title: string; caption: string },
  { takenAt, bytes, type }: Photo,
): NewEntry {
  const query = new URLSearchParams({ fileName: `${takenAt.replaceAll(/[:.]/g, '-')}.${toExtension(type)}` })
  query.set('kind', kind)
  query.set('caption', caption.slice(0, 500))
  query.set('takenAt', takenAt)
  return {
    ...{ title, place: home.name, method: 'POST', about: `photo ${crypto.randomUUID()}` },
    ...{ path: `/api/ext/attachments?recordId=${recordId}&${query}`, file: { bytes, type } },
  }
}

function toExtension(type: string): string {
  return { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' }[type] ?? 'heic'
}

export function clockIn(userId: string, home: FieldHome | null): NewEntry[] {
  const at = new Date().toISOString()
  const body: ClockIn = { userId, at, homeId: home?.id ?? null }
  return [
    {
      ...{ title: 'Clock in', place: home?.name ?? 'No home', method: 'POST', path: '/api/ext/time-entries/clock-in' },
      ...{ about: 'clock', body },
      changes: [{ part: 'clock', set: { timeEntryId: '', startedAt: at, homeId: home?.id ?? null } }],
    },
  ]
}

export function clockOut(userId: string, breakMinutes: number): NewEntry[] {
  const body: ClockOut = { userId, at: new Date().toISOString(), breakMinutes }
  return [
    {
      ...{
        title: 'Clock out',
        place: breakMinutes === 0 ? 'No break' : `Break of ${formatCount(breakMinutes, 'minute')}`,
      },
      ...{ method: 'POST', path: '/api/ext/time-entries/clock-out', about: 'clock', body },
      changes: [{ part: 'clock', set: null }],
    },
  ]
}

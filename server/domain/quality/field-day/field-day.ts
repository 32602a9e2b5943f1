import type { FieldDay, FieldDayPart, FieldTask } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { listOpenPredecessors } from '../../building/tasks/task.ts'
import { findRunningEntry } from '../../building/timesheets/entry-queries.ts'
import { formatWalkthroughList } from '../walkthroughs/walkthrough.ts'
import * as fieldDay from './queries.ts'

/** The maximum size of the response in the API contract. Phones store the response to work offline. */
const MAX_BYTES = 512_000

/**
 * The maximum number of rows of each list is that of the API contract. The maximum number of bytes limits the amount of
 * data that is read from the database. A typical day with 60 homes uses half of the bytes. If all lists are long, the
 * response is shortened to its maximum size.
 */
const LIMITS = {
  homes: { rows: 60, bytes: 50_000 },
  trades: { rows: 1800, bytes: 170_000 },
  tasks: { rows: 400, bytes: 480_000 },
  vendors: { rows: 300, bytes: 40_000 },
  inspections: { rows: 100, bytes: 60_000 },
  punchItems: { rows: 200, bytes: 60_000 },
  walkthroughs: { rows: 60, bytes: 60_000 },
  visits: { rows: 60, bytes: 12_000 },
  logs: { rows: 180, bytes: 20_000 },
} as const

const DAYS_AHEAD = 14
const DAYS_BACK = 7
/** A daily log can be edited until two days after its date. */
const DAYS_OF_LOGS = 2
/** The maximum number of predecessors that are read. 400 tasks have far fewer predecessors. */
const MAX_PREDECESSORS = 4000
/**
 * The maximum length of a chain of skipped tasks that is followed to find open predecessors. Longer chains do not occur
 * in practice.
 */
const MAX_ROUNDS = 3
/** The maximum number of names of open predecessors in the API contract. */
const MAX_NAMES = 3

/** Returns all data that a superintendent needs on site for a day. */
export async function getFieldDay(call: Call, query: Input<'getFieldDay'>['query']): Promise<FieldDay> {
  const { superintendentId, date = toLocalDate(call.timeZone, call.now) } = query
  const may = (permission: string) => call.permissions.has(permission)
  const truncated: FieldDayPart[] = []
  const noteEnd = <Row>(part: FieldDayPart, { rows, isTruncated }: fieldDay.LimitedList<Row>): Row[] => {
    if (isTruncated && !truncated.includes(part)) truncated.push(part)
    return rows
  }

  const homes = noteEnd('homes', await fieldDay.listFieldHomes(call, superintendentId, LIMITS.homes))
  const homeIds = homes.map(({ id }) => id)
  const dates = { until: addDays(date, DAYS_AHEAD), completedSince: addDays(date, -DAYS_BACK) }
  const tasks = noteEnd('tasks', await fieldDay.listTasks(call, { homeIds, ...dates }, LIMITS.tasks))
  const trades = may('pos:read') ? await fieldDay.listFieldTrades(call, homeIds, LIMITS.trades) : NOTHING
  const inspections = may('inspections:read')
    ? noteEnd('inspections', await fieldDay.listFieldInspections(call, homeIds, LIMITS.inspections))
    : []
  const punchItems = may('punch:read')
    ? noteEnd('punchItems', await fieldDay.listFieldPunchItems(call, homeIds, LIMITS.punchItems))
    : []
  const walkthroughs = may('punch:read')
    ? noteEnd(
        'walkthroughs',
        await fieldDay.listFieldWalkthroughs(call, { homeIds, until: dates.until }, LIMITS.walkthroughs),
      )
    : []
  const days = { superintendentId, from: date, to: dates.until }
  const visits = may('warranty:read')
    ? noteEnd('visits', await fieldDay.listFieldVisits(call, days, LIMITS.visits))
    : []
  const logDays = { homeIds, from: addDays(date, -DAYS_OF_LOGS), to: date }
  const logs = may('logs:read') ? noteEnd('logs', await fieldDay.listFieldLogs(call, logDays, LIMITS.logs)) : []
  const running = may('timesheets:read') ? await findRunningEntry(call, superintendentId) : undefined
  const tradesByHome = Map.groupBy(noteEnd('homes', trades), ({ homeId }) => homeId)

  const day: FieldDay = {
    ...{ asOf: call.now.toISOString(), date, superintendentId },
    homes: homes.map((home) => ({
      ...home,
      trades: (tradesByHome.get(home.id) ?? [])
        .slice(0, MAX_TRADES)
        .map(({ scope, vendorId }) => ({ scope, vendorId })),
    })),
    tasks: await addOpenPredecessors(call, tasks),
    vendors: [],
    ...{ inspections, punchItems, visits, logs },
    walkthroughs: walkthroughs.map(({ homeName, items, ...walkthrough }) => ({
      ...walkthrough,
      list: formatWalkthroughList(walkthrough, homeName, items),
    })),
    clock:
      running?.startedAt == null
        ? null
        : { timeEntryId: running.id, startedAt: running.startedAt, homeId: running.homeId },
    truncated,
  }
  if (may('vendors:read')) {
    const vendorIds = [...new Set(listVendorIds(day))].slice(0, LIMITS.vendors.rows + 1)
    day.vendors = noteEnd('vendors', await fieldDay.listFieldVendors(call, vendorIds, LIMITS.vendors))
  }
  return shorten(day)
}

const NOTHING: fieldDay.LimitedList<never> = { rows: [], isTruncated: false }
/** The maximum number of trades of a home in the API contract. */
const MAX_TRADES = 100

/** Returns the tasks with the names of their open predecessors. */
async function addOpenPredecessors(call: Call, tasks: readonly fieldDay.StoredFieldTask[]): Promise<FieldTask[]> {
  const waiting = tasks.filter(({ status }) => status === 'not_started')
  const known = new Map<string, fieldDay.PredecessorTask>()
  let wanted: readonly Pick<fieldDay.PredecessorTask, 'predecessors'>[] = waiting
  for (let round = 0; round < MAX_ROUNDS && wanted.length > 0; round++) {
    const ids = [...new Set(wanted.flatMap(({ predecessors }) => predecessors.map(({ taskId }) => taskId)))]
    const found = await fieldDay.listFieldPredecessors(
      call,
      ids.filter((id) => !known.has(id)).slice(0, MAX_PREDECESSORS),
    )
    for (const task of found) known.set(task.id, task)
    wanted = found.filter(({ status }) => status === 'skipped')
  }
  const predecessors = [...known.values()]
  return tasks.map(({ predecessors: links, ...task }) => ({
    ...task,
    waitsFor:
      task.status === 'not_started'
        ? listOpenPredecessors({ scope: task.scope, predecessors: links }, predecessors)
            .slice(0, MAX_NAMES)
            .map(({ name }) => name)
        : [],
  }))
}

/** Returns the IDs of all vendors in the field day, starting with the vendors of tasks. */
function listVendorIds({ tasks, inspections, punchItems, visits, homes }: FieldDay): string[] {
  const ids = [
    ...[...tasks, ...punchItems, ...visits].map(({ vendorId }) => vendorId),
    ...inspections.flatMap(({ items }) => items.map(({ vendorId }) => vendorId)),
    ...homes.flatMap(({ trades }) => trades.map(({ vendorId }) => vendorId)),
  ]
  return ids.filter((id) => id !== null)
}

/**
 * Removes tasks from the end of the list until the response does not exceed its maximum size. This is necessary only if
 * tasks have long texts.
 */
function shorten(day: FieldDay): FieldDay {
  let excess = Buffer.byteLength(JSON.stringify(day)) - MAX_BYTES
  if (excess <= 0) return day
  const tasks = [...day.tasks]
  while (excess > 0 && tasks.length > 0) excess -= Buffer.byteLength(JSON.stringify(tasks.pop()))
  return { ...day, tasks, truncated: [...new Set([...day.truncated, 'tasks' as const])] }
}

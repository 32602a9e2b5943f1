import { Parser } from 'saxen'
import { createUnreadableFileProblem, type Table, toTable } from './table.ts'

/** The elements of a Microsoft Project task that the import reads. */
const TASK_ELEMENTS = ['UID', 'Name', 'Start', 'Finish', 'Duration', 'Milestone', 'Summary', 'PercentComplete'] as const

/** The columns of the table into which a schedule is converted. The import recognizes the columns by these headings. */
const HEADS = ['Task', 'Phase', 'Planned Start', 'Duration (Days)', 'Type', 'Predecessors', 'Percent Complete']

interface ProjectTask {
  fields: Partial<Record<(typeof TASK_ELEMENTS)[number], string>>
  links: ProjectLink[]
}

interface ProjectLink {
  uid?: string
  type?: string
  lag?: string
  lagFormat?: string
}

/** The dependency types of Microsoft Project. The position of a type is its number in the file. */
const LINK_TYPES: readonly string[] = ['FF', 'FS', 'SF', 'SS']
const MINUTES_PER_DAY = 480
const MINUTES_PER_ELAPSED_DAY = 1440
/** The lag formats of Microsoft Project in which a lag is elapsed time, in minutes, hours, days, weeks, or months. */
const ELAPSED_LAG_FORMATS: ReadonlySet<string> = new Set(['4', '6', '8', '10', '12'])
/** The maximum depth of elements. Files from Microsoft Project never have elements nested as deeply. */
const MAX_DEPTH = 50

/**
 * Reads the tasks of a schedule that Microsoft Project saved as XML. A summary task becomes the phase of its subtasks.
 */
export function readProjectXml(xml: string): Table {
  const tasks = parseTasks(xml)
  const names = new Map(tasks.map(({ fields }) => [fields.UID ?? '', fields.Name ?? '']))
  const phases = new Map<ProjectTask, string | null>()
  let phase: string | null = null
  for (const task of tasks) {
    // Task 0 represents the project itself.
    if (task.fields.Summary === '1' && task.fields.UID !== '0') phase = task.fields.Name ?? null
    phases.set(task, phase)
  }
  const rows = sortByLinks(tasks).flatMap((task): (string | number | null)[][] => {
    const { fields, links } = task
    const name = fields.Name ?? ''
    if (name === '' || fields.UID === '0' || fields.Summary === '1') return []
    const days = toDays(fields.Duration ?? '')
    return [
      [
        ...[name, phases.get(task) ?? null, fields.Start?.slice(0, 10) ?? null, fields.Milestone === '1' ? 0 : days],
        ...[fields.Milestone === '1' ? 'milestone' : 'work', formatLinks(links, names)],
        Number(fields.PercentComplete ?? '0'),
      ],
    ]
  })
  if (rows.length === 0) throw createUnreadableFileProblem('The schedule has no tasks.')
  return toTable([HEADS, ...rows])
}

/** Sorts the tasks so that each task comes after its predecessors, because a row can refer only to rows above it. */
function sortByLinks(tasks: readonly ProjectTask[]): ProjectTask[] {
  const byUid = new Map(tasks.map((task) => [task.fields.UID ?? '', task]))
  const sorted = new Set<ProjectTask>()
  for (const start of tasks) {
    // Uses a stack instead of recursion, because a chain of tasks can contain all tasks of the file.
    const open = [start]
    const entered = new Set<ProjectTask>()
    for (let task = open.at(-1); task !== undefined; task = open.at(-1)) {
      const before = entered.has(task)
        ? []
        : task.links
            .flatMap(({ uid }) => byUid.get(uid ?? '') ?? [])
            .filter((each) => !sorted.has(each) && !entered.has(each))
      entered.add(task)
      if (before.length > 0) open.push(...before)
      else {
        sorted.add(task)
        open.pop()
      }
    }
  }
  return [...sorted]
}

function formatLinks(links: readonly ProjectLink[], names: ReadonlyMap<string, string>): string {
  return links
    .flatMap(({ uid, type, lag, lagFormat }) => {
      const name = names.get(uid ?? '')
      if (name === undefined || name === '') return []
      // A lag is stored in tenths of a minute. An elapsed day has 24 hours; any other day is a workday.
      const isElapsed = ELAPSED_LAG_FORMATS.has(lagFormat ?? '')
      const days = Math.round(Number(lag ?? '0') / 10 / (isElapsed ? MINUTES_PER_ELAPSED_DAY : MINUTES_PER_DAY))
      const kind = LINK_TYPES[Number(type ?? '1')] ?? 'FS'
      const suffix = days === 0 ? '' : `${days > 0 ? '+' : '-'}${Math.abs(days)}${isElapsed ? 'ed' : 'd'}`
      return kind === 'FS' && days === 0 ? [name] : [`${name} [${kind}${suffix}]`]
    })
    .join('; ')
}

/** Converts a duration such as PT40H0M0S to workdays of eight hours. */
function toDays(duration: string): number {
  const [, hours = '0', minutes = '0'] = /^PT(\d+)H(\d+)M/.exec(duration) ?? []
  return Math.max(1, Math.round((Number(hours) * 60 + Number(minutes)) / MINUTES_PER_DAY))
}

function parseTasks(xml: string): ProjectTask[] {
  const tasks: ProjectTask[] = []
  const path: string[] = []
  let text = ''
  let link: ProjectLink = {}
  let failure: Error | null = null
  const parser = new Parser()
  parser.on('error', (error) => (failure ??= error))
  // Rejects a document type declaration. It could declare entities, which no schedule needs.
  parser.on('attention', () => (failure ??= new Error('it has a document type declaration')))
  parser.on('openTag', (name) => {
    if (path.length >= MAX_DEPTH) failure ??= new Error('its elements are nested too deeply')
    path.push(name)
    text = ''
    if (isAt(path, 'Tasks', 'Task')) tasks.push({ fields: {}, links: [] })
    if (isAt(path, 'Task', 'PredecessorLink')) link = {}
  })
  parser.on('text', (part, decode) => (text += decode(part)))
  parser.on('cdata', (part) => (text += part))
  parser.on('closeTag', (name) => {
    const task = tasks.at(-1)
    const parent = path.at(-2)
    if (task !== undefined && parent === 'Task') {
      const field = TASK_ELEMENTS.find((each) => each === name)
      if (field !== undefined) task.fields[field] = text.trim()
      if (name === 'PredecessorLink') task.links.push(link)
    }
    if (parent === 'PredecessorLink') {
      if (name === 'PredecessorUID') link.uid = text.trim()
      if (name === 'Type') link.type = text.trim()
      if (name === 'LinkLag') link.lag = text.trim()
      if (name === 'LagFormat') link.lagFormat = text.trim()
    }
    path.pop()
    text = ''
  })
  parser.parse(xml)
  const problem: Error | null = failure
  if (problem !== null)
    throw createUnreadableFileProblem(`The schedule cannot be read: ${(problem as Error).message.slice(0, 200)}.`)
  return tasks
}

function isAt(path: readonly string[], parent: string, name: string): boolean {
  return path.at(-1) === name && path.at(-2) === parent
}

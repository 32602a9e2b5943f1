import type { ScheduledTask } from '../../../../client/contract.gen.ts'

/** The numbers of the dependency types in Microsoft Project. */
const LINK_TYPES: Readonly<Record<ScheduledTask['predecessors'][number]['type'], number>> = {
  FF: 0,
  FS: 1,
  SF: 2,
  SS: 3,
}
const HOURS_PER_DAY = 8
/**
 * For each unit, the length of a day in tenths of a minute, and the number of the unit in Microsoft Project (`format`).
 */
const LAGS: Readonly<Record<ScheduledTask['predecessors'][number]['lagUnit'], { perDay: number; format: number }>> = {
  workdays: { perDay: HOURS_PER_DAY * 60 * 10, format: 7 },
  calendar_days: { perDay: 24 * 60 * 10, format: 8 },
}

/**
 * Returns a schedule in the XML format of Microsoft Project. Each phase becomes a summary task that contains its tasks.
 * The planned dates become constraints of the tasks, because the file does not include the community's calendar.
 */
export function toProjectXml(name: string, tasks: readonly ScheduledTask[]): string {
  const phases = [...Map.groupBy(tasks, ({ phase }) => phase ?? '')]
  const numbers = new Map(tasks.map(({ taskId }, at) => [taskId, at + 1]))
  let outline = 0
  const elements = phases.flatMap(([phase, inside]) => {
    const summary = tasks.length + 1 + outline
    outline += 1
    const level = phase === '' ? 1 : 2
    return [
      ...(phase === '' ? [] : [toElement('Task', { UID: summary, Name: phase, Summary: 1, OutlineLevel: 1 }, [])]),
      ...inside.map((task) => toTaskElement(task, numbers, level)),
    ]
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Project xmlns="http://schemas.microsoft.com/project">',
    `<Name>${escapeXml(name)}</Name><MinutesPerDay>${HOURS_PER_DAY * 60}</MinutesPerDay>`,
    '<Tasks>',
    ...elements,
    '</Tasks>',
    '</Project>',
    '',
  ].join('\n')
}

function toTaskElement(task: ScheduledTask, numbers: ReadonlyMap<string, number>, level: number): string {
  const { taskId, name, taskKind, durationDays, plannedStart, plannedEnd, percentComplete, predecessors } = task
  const isMilestone = taskKind === 'milestone'
  const links = predecessors.flatMap(({ taskId, type, lagDays, lagUnit }) => {
    const number = numbers.get(taskId)
    if (number === undefined) return []
    const link = {
      PredecessorUID: number,
      Type: LINK_TYPES[type],
      LinkLag: lagDays * LAGS[lagUnit].perDay,
      LagFormat: LAGS[lagUnit].format,
    }
    return [toElement('PredecessorLink', link, [])]
  })
  const fields = {
    ...{ UID: numbers.get(taskId) ?? 0, Name: name, OutlineLevel: level, Summary: 0, Milestone: isMilestone ? 1 : 0 },
    ...(plannedStart !== null && { Start: `${plannedStart}T08:00:00` }),
    ...(plannedEnd !== null && { Finish: `${plannedEnd}T${isMilestone ? '08' : '17'}:00:00` }),
    ...{
      Duration: `PT${isMilestone ? 0 : durationDays * HOURS_PER_DAY}H0M0S`,
      PercentComplete: Math.round(percentComplete),
    },
    ...(plannedStart !== null && { ConstraintType: 4, ConstraintDate: `${plannedStart}T08:00:00` }),
  }
  return toElement('Task', fields, links)
}

function toElement(name: string, fields: Readonly<Record<string, string | number>>, inner: readonly string[]): string {
  const parts = Object.entries(fields).map(([field, value]) => `<${field}>${escapeXml(String(value))}</${field}>`)
  return `<${name}>${[...parts, ...inner].join('')}</${name}>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML does not allow most control characters, not even escaped. */
function escapeXml(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
}

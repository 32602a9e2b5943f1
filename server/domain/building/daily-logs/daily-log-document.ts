import type { DailyLog } from '../../../../client/contract.gen.ts'
import type { Organization } from '../../../platform/calls/call.ts'
import { formatCount, formatTimestamp } from '../../../platform/values/format.ts'
import type { Drawing } from '../../paying/documents/drawing-thread.ts'
import {
  createPdf,
  drawRule,
  ensureSpace,
  formatDecimal,
  formatLongDate,
  GRAY,
  type PdfDocument,
  removeControlCharacters,
  toOneLine,
} from '../../paying/documents/pdf.ts'

/** The data shown in a daily log's document. */
export interface DailyLogSheet {
  log: DailyLog
  builder: Organization
  homeName: string
  communityName: string
  /** The time zone of the community. */
  timeZone: string
  /** The names of vendors by ID. */
  vendorNames: Readonly<Record<string, string>>
}

export async function drawDocument(sheet: DailyLogSheet): Promise<Buffer> {
  const { log, builder, homeName, communityName } = sheet
  const title = `Daily log of ${homeName}`
  const about = {
    ...{ title, author: builder.name, changedAt: log.updatedAt, foot: [homeName, log.logDate, builder.name] },
    mark: log.status === 'draft' ? 'DRAFT' : undefined,
  }
  return createPdf(about, (doc) => {
    doc.font('bold').fontSize(14).text(toOneLine(builder.name))
    doc.fontSize(18).text(toOneLine(title))
    doc.moveDown(0.3).font('plain').fontSize(9)
    doc.text(`${formatLongDate(log.logDate)}   ${toOneLine(communityName)}`).moveDown(1)
    for (const { heading, lines } of listSections(sheet)) drawSection(doc, heading, lines)
  })
}

export const dailyLogDrawing: Drawing<DailyLogSheet> = { module: import.meta.url, drawDocument }

interface Section {
  heading: string
  lines: readonly string[]
}

function listSections({ log, vendorNames, timeZone }: DailyLogSheet): Section[] {
  const { weather, activity } = log
  const nameOf = (id: string | null, other: string | null = null) =>
    (id === null ? other : (vendorNames[id] ?? id)) ?? 'Unnamed'
  const sections: Section[] = [
    { heading: 'Weather', lines: weather === null ? [] : [describeWeather(weather)] },
    { heading: 'Work', lines: log.workDone === null ? [] : [log.workDone] },
    {
      heading: 'Crews',
      lines: log.crews.map(({ vendorId, name, scope, headcount, hours, noShow }) =>
        joinParts([
          nameOf(vendorId, name),
          scope,
          headcount === null ? null : formatCount(headcount, 'person', 'people'),
          hours === null ? null : formatCount(hours, 'hour'),
          noShow ? 'did not come' : null,
        ]),
      ),
    },
    {
      heading: 'Deliveries',
      lines: log.deliveries.map(({ vendorId, description, condition }) =>
        joinParts([description, vendorId === null ? null : nameOf(vendorId), condition]),
      ),
    },
    {
      heading: 'Visitors',
      lines: log.visitors.map(({ name, company, purpose }) => joinParts([name, company, purpose])),
    },
    {
      heading: 'Safety',
      lines: log.safety.map(({ kind, description, action }) =>
        joinParts([kind.replace('_', ' '), description, action]),
      ),
    },
    { heading: 'Tasks started', lines: activity.tasksStarted.map(({ name }) => name) },
    { heading: 'Tasks completed', lines: activity.tasksCompleted.map(({ name }) => name) },
    {
      heading: 'Delays',
      lines: activity.delays.map(({ name, reasonCode, days }) =>
        joinParts([name, reasonCode.replaceAll('_', ' '), formatCount(days, 'workday')]),
      ),
    },
    {
      heading: 'Inspections',
      lines: activity.inspections.map(({ name, status, result }) => joinParts([name, result ?? status])),
    },
    {
      heading: 'Own hours',
      lines: activity.ownHours === 0 ? [] : [`${formatDecimal(activity.ownHours)} hours`],
    },
    { heading: 'Note to the owners', lines: log.ownerNote === null ? [] : [log.ownerNote] },
    {
      heading: 'Added later',
      lines: log.addenda.map(({ text, at }) => joinParts([text, formatTimestamp(at, timeZone)])),
    },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

function describeWeather({ condition, high, low, unit, workable }: NonNullable<DailyLog['weather']>): string {
  const sign = unit === 'celsius' ? '°C' : '°F'
  return joinParts([
    condition,
    high === null ? null : `high ${formatDecimal(high)} ${sign}`,
    low === null ? null : `low ${formatDecimal(low)} ${sign}`,
    workable ? null : 'no work possible',
  ])
}

function joinParts(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(', ')
}

function drawSection(doc: PdfDocument, heading: string, lines: readonly string[]): void {
  ensureSpace(doc, 48)
  doc.font('bold').fontSize(10).fillColor(GRAY).text(heading).fillColor('black')
  doc.moveDown(0.4)
  drawRule(doc, GRAY)
  doc.font('plain').fontSize(9)
  for (const line of lines) doc.text(removeControlCharacters(line)).moveDown(0.2)
  doc.moveDown(0.8)
}

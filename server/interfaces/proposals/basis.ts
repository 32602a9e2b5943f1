import type { ProblemChange } from '../../../client/contract.gen.ts'
import type { Call, RecordedEvent } from '../../platform/calls/call.ts'
import type { RecordReads } from '../../platform/resources/record-reads.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'

/**
 * The data on which the outcome of a proposal depends. The approval runs the proposal again, and the outcome must be
 * the same, because the approver has seen only the stored outcome and not the current records.
 */
export interface Basis {
  /** The versions of the records that the run has read, by ID. */
  readonly versions: Readonly<Record<string, number>>
  /** The numbers and dates in the result and in the events, by path; null if there are too many to store. */
  readonly figures: Figures | null
  /** The builder's current date at the time of the run. */
  readonly today: string
}

type Figures = Readonly<Record<string, string | number>>

/** The maximum number of figures to store. An order with a hundred lines has about a thousand. */
const MAX_FIGURES = 10_000

/**
 * Returns the basis of a run, which consists of versions and figures. If a skill reads records in bulk without their
 * versions, the figures reveal changes to these records.
 */
export function buildProposalBasis(
  call: Call,
  reads: RecordReads,
  result: unknown,
  events: readonly RecordedEvent[],
): Basis {
  const figures: Record<string, string | number> = {}
  for (const [place, figure] of collectFigures(result, 'result')) figures[place] = figure
  for (const [i, { type, payload }] of events.entries()) {
    const { object } = (JSON.parse(payload) as { data: { object: unknown } }).data
    figures[`events/${i}`] = type
    for (const [place, figure] of collectFigures(object, `events/${i}`)) figures[place] = figure
  }
  return {
    versions: Object.fromEntries(reads.versions),
    figures: Object.keys(figures).length > MAX_FIGURES ? null : figures,
    today: toLocalDate(call.timeZone, call.now),
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/

/**
 * Fields that are not compared, because they differ between any two runs. The events in the steps of a batch are
 * compared separately.
 */
const NOT_COMPARED: ReadonlySet<string> = new Set(['version', 'durationMs', 'sequence', 'events'])

/** The last part of a path at which a result says that amounts are hidden. */
const HIDDEN = 'amountsHidden'

function* collectFigures(value: unknown, place: string): Generator<[string, string | number]> {
  if (typeof value === 'number' || (typeof value === 'string' && DATE.test(value))) yield [place, value]
  if (typeof value !== 'object' || value === null) return
  if ('amountsHidden' in value && value.amountsHidden === true) yield [`${place}/${HIDDEN}`, 'hidden']
  for (const [field, inner] of Object.entries(value))
    if (!NOT_COMPARED.has(field)) yield* collectFigures(inner, `${place}/${field}`)
}

/**
 * The IDs of the proposer and the approver. The records of these two users are not compared, because each run reads the
 * record of its own caller.
 */
type Actors = ReadonlySet<string | null>

/** Returns the differences from the basis that the approver saw; empty if there are no differences. */
export function findBasisDifferences(shown: Basis, now: Basis, actors: Actors): ProblemChange[] {
  const figures = [...listFigureChanges(shown, now)]
  // The events contain the same figures as the result, so prefer those in the result.
  const inResult = figures.filter(({ field }) => field.startsWith('result'))
  return [...listVersionChanges(shown, now, actors), ...(inResult.length > 0 ? inResult : figures)]
}

function* listVersionChanges(
  { versions: shown }: Basis,
  { versions: now }: Basis,
  actors: Actors,
): Generator<ProblemChange> {
  for (const id of new Set([...Object.keys(shown), ...Object.keys(now)])) {
    const [before, after] = [shown[id], now[id]]
    if (before !== after && !actors.has(id))
      yield { resourceId: id, field: 'version', before: formatBasisValue(before), after: formatBasisValue(after) }
  }
}

function* listFigureChanges(shown: Basis, now: Basis): Generator<ProblemChange> {
  if (shown.figures === null || now.figures === null) return
  const days = daysBetween(shown.today, now.today)
  // The approval closes the bid request, so it reveals amounts that were hidden in the trial run.
  const hidden = Object.keys(shown.figures).filter((place) => place.endsWith(`/${HIDDEN}`))
  const isHidden = (place: string) => hidden.some((each) => place.startsWith(each.slice(0, -HIDDEN.length)))
  for (const place of new Set([...Object.keys(shown.figures), ...Object.keys(now.figures)])) {
    const [before, after] = [shown.figures[place], now.figures[place]]
    if (before === after || isShiftedDate(before, after, days) || isHidden(place)) continue
    yield {
      resourceId: null,
      field: place.slice(0, MAX_FIELD_LENGTH),
      before: formatBasisValue(before),
      after: formatBasisValue(after),
    }
  }
}

/**
 * Returns whether a date that depends on today, such as an issue date, has moved by the same number of days as today.
 */
function isShiftedDate(before: unknown, after: unknown, days: number): boolean {
  if (typeof before !== 'string' || typeof after !== 'string' || !DATE.test(before) || !DATE.test(after)) return false
  return daysBetween(before, after) === days
}

const DAY_MS = 86_400_000

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}

/** Returns a value as text for a problem. */
export function formatBasisValue(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE_LENGTH)
}

/** The maximum length of a value in a change, in characters. The contract declares the same limit. */
const MAX_FIELD_LENGTH = 200
const MAX_VALUE_LENGTH = 400

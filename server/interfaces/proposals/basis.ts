import type { ProblemChange } from '../../../client/contract.gen.ts'
import type { Call, RecordedEvent } from '../../platform/calls/call.ts'
import type { RecordReads } from '../../platform/resources/record-reads.ts'
import { dateIn } from '../../platform/values/calendar.ts'

/**
 * What a proposal was shown with. Approving runs it again, and it must come to the same: whoever approves has seen the
 * outcome that was kept, not what the records have become since.
 */
export interface Basis {
  /** The version of each record that was read, by its id. */
  readonly versions: Readonly<Record<string, number>>
  /** The numbers and dates of the result and the events, by their place; null if they are too many to keep. */
  readonly figures: Figures | null
  /** The date at the builder when it ran. */
  readonly today: string
}

type Figures = Readonly<Record<string, string | number>>

/** An order of a hundred lines has a thousand. */
const MOST_FIGURES = 10_000

/**
 * Records are compared by version. Some skills compute with records that they read in bulk, without versions; what such
 * records say shows in the figures of the outcome.
 */
export function basisOf(call: Call, reads: RecordReads, result: unknown, events: readonly RecordedEvent[]): Basis {
  const figures: Record<string, string | number> = {}
  for (const [place, figure] of figuresIn(result, 'result')) figures[place] = figure
  for (const [i, { type, payload }] of events.entries()) {
    const { object } = (JSON.parse(payload) as { data: { object: unknown } }).data
    figures[`events/${i}`] = type
    for (const [place, figure] of figuresIn(object, `events/${i}`)) figures[place] = figure
  }
  return {
    versions: Object.fromEntries(reads.versions),
    figures: Object.keys(figures).length > MOST_FIGURES ? null : figures,
    today: dateIn(call.timeZone, call.now),
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/

/** What differs between any two runs, and the events in the steps of a batch, which are compared by themselves. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['version', 'durationMs', 'sequence', 'events'])

/** A place that stands for amounts that were hidden. */
const HIDDEN = 'amountsHidden'

function* figuresIn(value: unknown, place: string): Generator<[string, string | number]> {
  if (typeof value === 'number' || (typeof value === 'string' && DATE.test(value))) yield [place, value]
  if (typeof value !== 'object' || value === null) return
  if ('amountsHidden' in value && value.amountsHidden === true) yield [`${place}/${HIDDEN}`, 'hidden']
  for (const [field, inner] of Object.entries(value))
    if (!NOT_COMPARED.has(field)) yield* figuresIn(inner, `${place}/${field}`)
}

/** Whose own records are read because they propose or approve. */
type Actors = ReadonlySet<string | null>

/** What is different from what was shown; empty if nothing is. */
export function differences(shown: Basis, now: Basis, actors: Actors): ProblemChange[] {
  const figures = [...figureChanges(shown, now)]
  // The events repeat what the result shows.
  const inResult = figures.filter(({ field }) => field.startsWith('result'))
  return [...versionChanges(shown, now, actors), ...(inResult.length > 0 ? inResult : figures)]
}

function* versionChanges(
  { versions: shown }: Basis,
  { versions: now }: Basis,
  actors: Actors,
): Generator<ProblemChange> {
  for (const id of new Set([...Object.keys(shown), ...Object.keys(now)])) {
    const [before, after] = [shown[id], now[id]]
    if (before !== after && !actors.has(id))
      yield { resourceId: id, field: 'version', before: toText(before), after: toText(after) }
  }
}

function* figureChanges(shown: Basis, now: Basis): Generator<ProblemChange> {
  if (shown.figures === null || now.figures === null) return
  const days = daysBetween(shown.today, now.today)
  // Trying it out kept the amounts hidden that approving it shows, because it closes the bid request.
  const hidden = Object.keys(shown.figures).filter((place) => place.endsWith(`/${HIDDEN}`))
  const isHidden = (place: string) => hidden.some((each) => place.startsWith(each.slice(0, -HIDDEN.length)))
  for (const place of new Set([...Object.keys(shown.figures), ...Object.keys(now.figures)])) {
    const [before, after] = [shown.figures[place], now.figures[place]]
    if (before === after || isSameDayLater(before, after, days) || isHidden(place)) continue
    yield { resourceId: null, field: place.slice(0, LONGEST_FIELD), before: toText(before), after: toText(after) }
  }
}

/** A date that is counted from today, such as when an order was issued, moves with it. */
function isSameDayLater(before: unknown, after: unknown, days: number): boolean {
  if (typeof before !== 'string' || typeof after !== 'string' || !DATE.test(before) || !DATE.test(after)) return false
  return daysBetween(before, after) === days
}

const DAY_MS = 86_400_000

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}

/** A value as a problem shows it. */
export function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST_VALUE)
}

/** As the contract says of a change. */
const LONGEST_FIELD = 200
const LONGEST_VALUE = 400

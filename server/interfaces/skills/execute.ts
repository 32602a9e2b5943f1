import type { Event, Execution } from '../../../client/contract.gen.ts'
import { asDryRun, type Call, keepingHidden, type RecordedEvent, type WriteCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { Shares } from '../../platform/calls/shares.ts'
import { mayRead } from '../../platform/events/readable.ts'
import { savepoint } from '../../platform/events/recorded.ts'
import { recorded } from '../../platform/executions/record.ts'
import { toProblem, unknownReference } from '../../platform/problems/problem.ts'
import { catalogueOf, type PublishedResult, permitSkill, type Skill } from './catalogue.ts'
import { MOST_MS } from './frame/effort.ts'
import { untrustedText, withoutSecrets } from './marks.ts'
import { resolveReferences } from './references/resolve.ts'
import { assertTrades } from './references/trades.ts'

/**
 * Runs a skill for a caller. Everything it writes is one transaction, so a skill that consists of several operations
 * succeeds or fails as a whole. A dry run takes the same locks and makes the same checks, but is rolled back to a
 * savepoint at the end: nobody else sees its changes, and it reveals nothing that was hidden when it started.
 */
export async function execute(
  call: Call,
  { skill: name, input, dryRun }: Checked['ExecuteRequest'],
): Promise<Execution> {
  const skill = catalogueOf(call.surroundings.contract).find(name)
  const wanted = { skill: skill.name, skills: [skill.name], input, dryRun, writes: skill.writes }
  return recorded(call, wanted, async (call, { id, elapsedMs }) => {
    permitSkill(call, skill)
    const { result, events } = await runOnce(call, skill, input, dryRun)
    return {
      ...{ id, skill: skill.name, result: dryRun ? concealed(skill, result) : result },
      untrustedText: untrustedText(skill.marks.output, result),
      ...{ events: readableEvents(call, events), dryRun, durationMs: elapsedMs() },
    }
  })
}

/** Validates the input of a skill that the caller may use, and runs it. */
export async function runOnce(call: Call, skill: Skill, input: unknown, dryRun: boolean): Promise<Outcome> {
  const given = skill.check(input, call.currency)
  await resolveReferences(call, given, { alsoIds: skill.kind === 'composite' })
  if (skill.kind === 'composite') await assertTrades(call, given)
  return perform(skill, given, call, dryRun).catch((error: unknown) => {
    throw belowInput(skill, error)
  })
}

/** Returns the result with each secret replaced by null. */
export function concealed({ marks }: Skill, result: PublishedResult): PublishedResult {
  return withoutSecrets(marks.output, result) as PublishedResult
}

/** Returns the events that the caller may see, in their public form. */
export function readableEvents(call: Call, events: readonly RecordedEvent[]): Event[] {
  return events.filter(({ type }) => mayRead(call, type)).map(toEvent)
}

/**
 * A composite skill that reads keeps one core of the database and most of this process busy, so each organization runs
 * one at a time. Other skills wait at most as long as one skill may run (frame/effort.ts). Skills within a transaction
 * do not wait: the running skill might itself be waiting for that transaction's locks or, on the embedded database, its
 * connection.
 */
const readingTurns = new Shares({ of: 'composite skills', most: 1, mostWaiting: 100, waitMs: MOST_MS })

export interface Outcome {
  result: PublishedResult
  events: RecordedEvent[]
}

async function perform(skill: Skill, given: Record<string, unknown>, call: Call, dryRun: boolean): Promise<Outcome> {
  if (!skill.writes) {
    const run = () => skill.run(given, call)
    const takesTurns = skill.kind === 'composite' && !call.isWriting
    return {
      result: await (takesTurns ? readingTurns.run(call.organizationId, run) : run()),
      events: [],
    }
  }
  return call.write((outer) =>
    undoneIf(dryRun, skill.kind === 'composite' ? keepingHidden(outer) : outer, async (call) => {
      const before = call.events.length
      const result = await skill.run(given, call)
      return { result, events: call.events.slice(before) }
    }),
  )
}

/** Does the work, and rolls it back at the end if it is a dry run. */
export async function undoneIf<T>(dryRun: boolean, call: WriteCall, work: (call: WriteCall) => Promise<T>): Promise<T> {
  if (!dryRun) return work(call)
  const mark = await savepoint(call)
  const done = await work(asDryRun(call))
  // Its events are never committed, so they must not be announced.
  await mark.undo()
  return done
}

// An event gets its sequence number only after the transaction, and an event of a dry run never does.
function toEvent({ payload }: RecordedEvent): Event {
  const { id, ...rest } = JSON.parse(payload) as Omit<Event, 'sequence'>
  return { id, sequence: null, ...rest }
}

/**
 * Turns a problem of the skill into a problem of the execution, whose input is below /input. If a pointer refers to a
 * value that the skill passed to an operation but did not itself receive, it becomes /input.
 */
function belowInput(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const faults = found.extras.errors
  // Unexpected errors pass through unchanged, so that they are logged in full.
  if (faults === undefined || found.status >= 500) return error
  const moved = faults.map((fault) => ({ ...fault, pointer: moveBelow(skill, fault.pointer) }))
  if (found.code === 'unknown_reference') return unknownReference(moved.map((fault) => fault.pointer))
  return found.pointingAt(moved)
}

function moveBelow(skill: Skill, pointer: string): string {
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer
  const [first = ''] = path.split('/', 1)
  if (first.toLowerCase() === 'if-match') return '/input/ifMatch'
  return Object.hasOwn(skill.inputSchema.properties, first) ? `/input/${path}` : '/input'
}

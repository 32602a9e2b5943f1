import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Event, Execution } from '../../client/contract.gen.ts'
import { mayRead } from '../events/readable.ts'
import { asDryRun, type Call, type RecordedEvent } from '../http/call.ts'
import type { Checked } from '../http/checked.gen.ts'
import { Problem, toProblem, unknownReference } from '../http/problem.ts'
import { Shares } from '../http/shares.ts'
import { catalogueOf, type PublishedResult, permitSkill, type Skill } from './catalogue.ts'

/**
 * Runs a skill for a caller. Everything it writes is one transaction, so a skill that consists of several operations
 * succeeds or fails as a whole. A dry run takes the same locks and makes the same checks, but is rolled back to a
 * savepoint at the end: nobody else sees anything of it, and it reveals nothing that was hidden when it began.
 */
export async function execute(
  call: Call,
  { skill: name, input, dryRun }: Checked['ExecuteRequest'],
): Promise<Execution> {
  const started = performance.now()
  const skill = catalogueOf(call.surroundings.contract).find(name)
  permitSkill(call, skill)
  const given = skill.check(input)
  const { result, events } = await perform(skill, given, call, dryRun).catch((error: unknown) => {
    throw belowInput(skill, error)
  })
  return {
    id: typeid('exe').toString(),
    skill: skill.name,
    result,
    events: events.filter(({ type }) => mayRead(call, type)).map(toEvent),
    dryRun,
    durationMs: Math.round(performance.now() - started),
  }
}

/**
 * A composite skill that reads keeps a CPU core and the readers' shared connections busy while it runs, so an
 * organization can run two at a time, and further ones wait for these to finish.
 */
const readingTurns = new Shares({ of: 'composite skills', most: 2, mostWaiting: 100, waitMs: 10_000 })

interface Outcome {
  result: PublishedResult
  events: RecordedEvent[]
}

async function perform(skill: Skill, given: Record<string, unknown>, call: Call, dryRun: boolean): Promise<Outcome> {
  if (!skill.writes) {
    const run = () => skill.run(given, call)
    return {
      result: await (skill.kind === 'composite' ? readingTurns.run(call.organizationId, run) : run()),
      events: [],
    }
  }
  return call.write(async (call) => {
    const before = call.events.length
    const changesBefore = call.changes.length
    if (dryRun) await sql`savepoint "dryRun"`.execute(call.db)
    const result = await skill.run(given, dryRun ? asDryRun(call) : call)
    const events = call.events.slice(before)
    if (dryRun) {
      await sql`rollback to savepoint "dryRun"`.execute(call.db)
      // They were never committed, so they must not be announced.
      call.events.length = before
      call.changes.length = changesBefore
    }
    return { result, events }
  })
}

// An event gets its sequence only after the transaction, and one of a dry run never does.
function toEvent({ payload }: RecordedEvent): Event {
  const { id, ...rest } = JSON.parse(payload) as Omit<Event, 'sequence'>
  return { id, sequence: null, ...rest }
}

/**
 * Turns a problem of the skill into one of the execution, where the input is below /input. If a pointer refers to
 * something that the skill passed to an operation but did not itself receive, it becomes /input.
 */
function belowInput(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const faults = found.extras.errors
  // Unexpected errors pass through unchanged, so that they are logged in full.
  if (faults === undefined || found.status >= 500) return error
  const moved = faults.map((fault) => ({ ...fault, pointer: moveBelow(skill, fault.pointer) }))
  if (found.code === 'unknown_reference') return unknownReference(moved.map((fault) => fault.pointer))
  return new Problem(found.code, found.message, { ...found.extras, errors: moved }, found.headers)
}

function moveBelow(skill: Skill, pointer: string): string {
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer
  const [first = ''] = path.split('/', 1)
  if (first.toLowerCase() === 'if-match') return '/input/ifMatch'
  return Object.hasOwn(skill.inputSchema.properties, first) ? `/input/${path}` : '/input'
}

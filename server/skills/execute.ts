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
 * Runs a skill for a caller. All that it writes is one transaction, so that of a skill made of several operations all
 * hold or none. A dry run goes the same way, through the same locks and checks, up to a savepoint that it falls back to
 * in the end; nobody else has seen anything of it, and it shows nothing that was hidden when it began.
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
 * A composite skill that reads keeps a processor and the connections that all readers share busy for as long as it runs,
 * so two of an organization run at a time, and its next ones begin when these are done.
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
      // They were never committed, so nobody is to be told that some were.
      call.events.length = before
      call.changes.length = changesBefore
    }
    return { result, events }
  })
}

// An event gets its place in the order of all events after its transaction, and one of a dry run never does.
function toEvent({ payload }: RecordedEvent): Event {
  const { id, ...rest } = JSON.parse(payload) as Omit<Event, 'sequence'>
  return { id, sequence: null, ...rest }
}

/**
 * The problem of a skill as the problem of its execution: what it says of its input stands below /input there. A pointer
 * at something that an operation inside a composite skill was given, but the skill was not, becomes one at the input.
 */
function belowInput(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const faults = found.extras.errors
  // Anything unforeseen goes on as it is, because the log wants all of it.
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

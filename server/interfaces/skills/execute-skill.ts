import type { Event, Execution } from '../../../client/contract.gen.ts'
import {
  asDryRun,
  type Call,
  type RecordedEvent,
  type WriteCall,
  withAmountsSealed,
} from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { TenantSemaphore } from '../../platform/calls/tenant-semaphore.ts'
import { createSavepoint } from '../../platform/events/pending-rows.ts'
import { canReadType } from '../../platform/events/readable-events.ts'
import { runRecorded } from '../../platform/executions/record-execution.ts'
import { toProblem, unknownReference } from '../../platform/problems/problem.ts'
import { MAX_MS } from './frame/work-limit.ts'
import { listUntrustedText, nullSecrets } from './marks.ts'
import { assertTradesExist } from './references/assert-trades.ts'
import { resolveReferences } from './references/resolve-references.ts'
import { assertSkillPermitted, findCatalog, type PublishedResult, type Skill } from './skill-catalog.ts'

/**
 * Runs a skill for a caller. Everything it writes is one transaction, so a skill that consists of several operations
 * succeeds or fails as a whole. A dry run takes the same locks and makes the same checks, but is rolled back to a
 * savepoint at the end: nobody else sees its changes, and it reveals nothing that was hidden when it started.
 */
export async function executeSkill(
  call: Call,
  { skill: name, input, dryRun }: Checked['ExecuteRequest'],
): Promise<Execution> {
  const skill = findCatalog(call.services.contract).find(name)
  const requested = { skill: skill.name, skills: [skill.name], input, dryRun, writes: skill.writes }
  return runRecorded(call, requested, async (call, { id, elapsedMs }) => {
    assertSkillPermitted(call, skill)
    const { result, events } = await runSkill(call, skill, input, dryRun)
    return {
      ...{ id, skill: skill.name, result: dryRun ? nullSecretsOf(skill, result) : result },
      untrustedText: listUntrustedText(skill.marks.output, result),
      ...{ events: listReadableEvents(call, events), dryRun, durationMs: elapsedMs() },
    }
  })
}

/** Validates the input of a skill that the caller may use, and runs it. */
export async function runSkill(call: Call, skill: Skill, input: unknown, dryRun: boolean): Promise<SkillOutcome> {
  const provided = skill.check(input, call.currency)
  await resolveReferences(call, provided, { alsoIds: skill.kind === 'composite' })
  if (skill.kind === 'composite') await assertTradesExist(call, provided)
  return performSkill(skill, provided, call, dryRun).catch((error: unknown) => {
    throw toExecutionProblem(skill, error)
  })
}

/** Returns the result with each secret replaced by null. */
export function nullSecretsOf({ marks }: Skill, result: PublishedResult): PublishedResult {
  return nullSecrets(marks.output, result) as PublishedResult
}

/** Returns the events that the caller may see, in their public form. */
export function listReadableEvents(call: Call, events: readonly RecordedEvent[]): Event[] {
  return events.filter(({ type }) => canReadType(call, type)).map(toEvent)
}

/**
 * A composite skill that reads keeps one core of the database and most of this process busy, so each organization runs
 * one at a time. Other skills wait at most as long as one skill may run (frame/work-limit.ts). Skills within a transaction
 * do not wait: the running skill might itself be waiting for that transaction's locks or, on the embedded database, its
 * connection.
 */
const readSemaphore = new TenantSemaphore({ of: 'composite skills', most: 1, mostWaiting: 100, waitMs: MAX_MS })

export interface SkillOutcome {
  result: PublishedResult
  events: RecordedEvent[]
}

async function performSkill(
  skill: Skill,
  provided: Record<string, unknown>,
  call: Call,
  dryRun: boolean,
): Promise<SkillOutcome> {
  if (!skill.writes) {
    const run = () => skill.run(provided, call)
    const takesTurns = skill.kind === 'composite' && !call.isWriting
    return {
      result: await (takesTurns ? readSemaphore.run(call.organizationId, run) : run()),
      events: [],
    }
  }
  return call.write((outer) =>
    undoIfDryRun(dryRun, skill.kind === 'composite' ? withAmountsSealed(outer) : outer, async (call) => {
      const before = call.events.length
      const result = await skill.run(provided, call)
      return { result, events: call.events.slice(before) }
    }),
  )
}

/** Does the work, and rolls it back at the end if it is a dry run. */
export async function undoIfDryRun<T>(
  dryRun: boolean,
  call: WriteCall,
  work: (call: WriteCall) => Promise<T>,
): Promise<T> {
  if (!dryRun) return work(call)
  const mark = await createSavepoint(call)
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
function toExecutionProblem(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const errors = found.extras.errors
  // Unexpected errors pass through unchanged, so that they are logged in full.
  if (errors === undefined || found.status >= 500) return error
  const moved = errors.map((fault) => ({ ...fault, pointer: movePointer(skill, fault.pointer) }))
  if (found.code === 'unknown_reference') return unknownReference(moved.map((fault) => fault.pointer))
  return found.pointingAt(moved)
}

function movePointer(skill: Skill, pointer: string): string {
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer
  const [first = ''] = path.split('/', 1)
  if (first.toLowerCase() === 'if-match') return '/input/ifMatch'
  return Object.hasOwn(skill.inputSchema.properties, first) ? `/input/${path}` : '/input'
}

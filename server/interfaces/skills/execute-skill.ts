import type { Event, Execution } from '../../../client/contract.gen.ts'
import { type Call, type RecordedEvent, toDryRunCall, toSealedCall, type WriteCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { TenantSemaphore } from '../../platform/calls/tenant-semaphore.ts'
import { createSavepoint } from '../../platform/events/pending-rows.ts'
import { canReadEventType } from '../../platform/events/readable-events.ts'
import { runAndRecordExecution } from '../../platform/executions/record-execution.ts'
import { toProblem, unknownReference } from '../../platform/problems/problem.ts'
import { MAX_MS } from './frame/work-limit.ts'
import { listUntrustedText, replaceSecretsWithNull } from './marks.ts'
import { assertTradesExist } from './references/assert-trades.ts'
import { resolveReferences } from './references/resolve-references.ts'
import { assertSkillPermitted, getSkillCatalog, type PublishedResult, type Skill } from './skill-catalog.ts'

/**
 * Runs a skill for a caller. All writes of the skill are one transaction, so a skill that consists of several
 * operations succeeds or fails as a whole. A dry run takes the same locks and makes the same checks, but is rolled back
 * to a savepoint at the end. Nobody else sees the changes of a dry run, and the dry run reveals nothing that was hidden
 * when it started.
 */
export async function executeSkill(
  call: Call,
  { skill: name, input, dryRun }: Checked['ExecuteRequest'],
): Promise<Execution> {
  const skill = getSkillCatalog(call.services.contract).find(name)
  const requested = { skill: skill.name, skills: [skill.name], input, dryRun, writes: skill.writes }
  return runAndRecordExecution(call, requested, async (call, { id, elapsedMs }) => {
    assertSkillPermitted(call, skill)
    const { result, events } = await runSkill(call, skill, input, dryRun)
    return {
      ...{ id, skill: skill.name, result: dryRun ? concealResultSecrets(skill, result) : result },
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
export function concealResultSecrets({ marks }: Skill, result: PublishedResult): PublishedResult {
  return replaceSecretsWithNull(marks.output, result) as PublishedResult
}

/** Returns the events that the caller may read, in the API format. */
export function listReadableEvents(call: Call, events: readonly RecordedEvent[]): Event[] {
  return events.filter(({ type }) => canReadEventType(call, type)).map(toEvent)
}

/**
 * A composite skill that only reads uses one core of the database and most of this process. Therefore, each
 * organization runs only one such skill at a time. Other skills wait for at most the maximum run time of a skill
 * (frame/work-limit.ts). Skills within a transaction do not wait, because the running skill might itself be waiting for
 * that transaction's locks. On the embedded database, the running skill might be waiting for the transaction's
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
    runWithDryRun(dryRun, skill.kind === 'composite' ? toSealedCall(outer) : outer, async (call) => {
      const before = call.events.length
      const result = await skill.run(provided, call)
      return { result, events: call.events.slice(before) }
    }),
  )
}

/** Does the work. If this is a dry run, rolls the work back at the end. */
export async function runWithDryRun<T>(
  dryRun: boolean,
  call: WriteCall,
  work: (call: WriteCall) => Promise<T>,
): Promise<T> {
  if (!dryRun) return work(call)
  const mark = await createSavepoint(call)
  const done = await work(toDryRunCall(call))
  // The events of a dry run are never committed, so they must not be announced.
  await mark.undo()
  return done
}

// An event gets its sequence number only after the transaction. An event of a dry run never gets a number.
function toEvent({ payload }: RecordedEvent): Event {
  const { id, ...rest } = JSON.parse(payload) as Omit<Event, 'sequence'>
  return { id, sequence: null, ...rest }
}

/**
 * Converts a problem of the skill to a problem of the execution. Pointers to the input of the execution start with
 * /input. If a pointer refers to a value that the skill passed to an operation but did not receive in its input, the
 * pointer becomes /input.
 */
function toExecutionProblem(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const errors = found.extras.errors
  // Unexpected errors are returned unchanged, so that they are logged in full.
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

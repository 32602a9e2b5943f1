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
 * Runs a skill for a caller. All writes of the skill are in one transaction, so that a skill with several operations
 * succeeds or fails as a whole. A dry run uses the same locks and performs the same checks, and is then rolled back to
 * a savepoint. Nobody else sees its changes, and its response contains nothing that was hidden from the caller before.
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

/** Validates the input of a skill and runs the skill. The caller must be allowed to use it. */
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

/** Returns the events that the caller may read, in the form of the API. */
export function listReadableEvents(call: Call, events: readonly RecordedEvent[]): Event[] {
  return events.filter(({ type }) => canReadEventType(call, type)).map(toEvent)
}

/**
 * Limits each organization to one read-only composite skill at a time, because such a skill keeps one core of the
 * database and most of this process busy. Other such skills wait, at most for the maximum run time of a skill (see
 * frame/work-limit.ts). A skill inside a transaction does not wait, because the running skill may itself be waiting for
 * the locks of that transaction or, on the embedded database, for its connection.
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

/** Runs the given function. For a dry run, rolls back its changes at the end. */
export async function runWithDryRun<T>(
  dryRun: boolean,
  call: WriteCall,
  work: (call: WriteCall) => Promise<T>,
): Promise<T> {
  if (!dryRun) return work(call)
  const mark = await createSavepoint(call)
  const done = await work(toDryRunCall(call))
  // Events of a dry run are never committed, so nobody must be notified about them.
  await mark.undo()
  return done
}

// Converts an event to the form of the API. It has no sequence number, because events get their numbers after the
// transaction. Events of a dry run never get one.
function toEvent({ payload }: RecordedEvent): Event {
  const { id, ...rest } = JSON.parse(payload) as Omit<Event, 'sequence'>
  return { id, sequence: null, ...rest }
}

/**
 * Converts a problem of the skill to a problem of the execution, in which pointers start with /input. If the skill
 * passed a value to an operation that was not in the skill's own input, a pointer to this value becomes /input.
 */
function toExecutionProblem(skill: Skill, error: unknown): unknown {
  const found = toProblem(error)
  const errors = found.extras.errors
  // Does not convert unexpected errors, so that the log contains them in full.
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

import type { BatchExecution, FieldError } from '../../../client/contract.gen.ts'
import { type Call, type ContractReader, toSealedCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { runAndRecordExecution } from '../../platform/executions/record-execution.ts'
import { MAX_MESSAGE_LENGTH } from '../../platform/problems/field-errors.ts'
import { MAX_POINTER_LENGTH, problem, toProblem, validationFailed } from '../../platform/problems/problem.ts'
import { concealResultSecrets, listReadableEvents, runSkill, runWithDryRun } from './execute-skill.ts'
import { escapePointerStep, isPathToSecret, listUntrustedText } from './marks.ts'
import { assertSkillPermitted, getSkillCatalog, type PublishedResult, type Skill } from './skill-catalog.ts'

/**
 * Runs several skills in one transaction. The input of a step can use the results of earlier steps. Before the first
 * step runs, checks everything that can be checked in advance. If a step is rejected, nothing changes.
 */
export async function executeBatch(call: Call, batch: Checked['ExecuteBatch']): Promise<BatchExecution> {
  const { steps, dryRun } = batch
  const catalogue = getSkillCatalog(call.services.contract)
  const known = steps.flatMap(({ skill }) => catalogue.skills.find(({ name }) => name === skill) ?? [])
  // If a skill does not exist, planSteps throws before any step runs.
  if (known.length < steps.length) planSteps(call, steps)
  const skills = known.map(({ name }) => name)
  const requested = {
    skill: 'executeBatch',
    skills,
    input: { steps },
    dryRun,
    writes: known.some(({ writes }) => writes),
  }
  return runAndRecordExecution(call, requested, (call, { id, elapsedMs }) => runBatchSteps(call, batch, id, elapsedMs))
}

async function runBatchSteps(
  call: Call,
  { steps, dryRun }: Checked['ExecuteBatch'],
  id: string,
  elapsedMs: () => number,
): Promise<BatchExecution> {
  const planned = planSteps(call, steps)
  const { clock } = call.services
  const until = clock.nowMs() + MAX_MS
  const runSteps = async (call: Call): Promise<BatchExecution['steps']> => {
    const results = new Map<string, PublishedResult>()
    const done: BatchExecution['steps'] = []
    for (const [at, { name, skill, input }] of planned.entries()) {
      if (clock.nowMs() > until)
        throw problem('too_much_work', `A batch must finish within ${MAX_MS / 1000} seconds. Send fewer steps.`, {
          errors: [
            {
              pointer: `/steps/${at}`,
              code: 'too_much_work',
              message: 'did not start before the time limit of the batch',
            },
          ],
        })
      const { result, events } = await withStepPointer(at, () =>
        runSkill(call, skill, replaceReferences(input, results, `/input`), false),
      )
      results.set(name, result)
      const shown = dryRun ? concealResultSecrets(skill, result) : result
      const untrusted = listUntrustedText(skill.marks.output, result)
      done.push({
        ...{ name, skill: skill.name, result: shown, untrustedText: untrusted },
        events: listReadableEvents(call, events),
      })
    }
    return done
  }
  const writes = planned.some(({ skill }) => skill.writes)
  const done = writes
    ? await call.write((call) => runWithDryRun(dryRun, toSealedCall(call), runSteps))
    : await runSteps(call)
  return { id, steps: done, dryRun, durationMs: elapsedMs() }
}

/** The maximum duration of a batch. Its transaction holds locks until the end. */
const MAX_MS = 10_000

interface BatchStep {
  name: string
  skill: Skill
  input: unknown
}

/** Returns the steps of a batch with their skills. Throws all errors that can be found before any step runs. */
export function planSteps(call: ContractReader, steps: Checked['ExecuteBatch']['steps']): BatchStep[] {
  const catalogue = getSkillCatalog(call.services.contract)
  const errors: FieldError[] = []
  const named = new Set<string>()
  const planned = steps.map(({ name, skill: requested, input }, at): BatchStep => {
    const skill = catchStepProblem(at, 'skill', () => {
      const found = catalogue.find(requested)
      assertSkillPermitted(call, found)
      return found
    })
    for (const { pointer, text, step } of findReferences(input, `/steps/${at}/input`)) {
      if (!named.has(step))
        errors.push({ pointer, code: 'unknown_step', message: `must refer to an earlier step; "${text}" does not` })
    }
    if (named.has(name))
      errors.push({
        pointer: `/steps/${at}/name`,
        code: 'unique',
        message: 'must be unique; another step has the same name',
      })
    named.add(name)
    return { name, skill, input }
  })
  if (errors.length > 0) throw validationFailed(errors)
  return planned
}

/**
 * Throws `validation_failed` if an input refers to a secret in the result of an earlier step. Otherwise, the batch
 * could copy the secret into a field that others can read.
 */
export function assertNoSecretReferences(call: ContractReader, steps: Checked['ExecuteBatch']['steps']): void {
  const { skills } = getSkillCatalog(call.services.contract)
  const outputs = new Map(
    steps.map(({ name, skill }) => [name, skills.find((each) => each.name === skill)?.marks.output ?? null]),
  )
  const errors: FieldError[] = []
  for (const [at, { input }] of steps.entries()) {
    for (const { pointer, text, step, path } of findReferences(input, `/steps/${at}/input`)) {
      if (!isPathToSecret(outputs.get(step) ?? null, path)) continue
      const message = `refers to a secret: "${text}"; refer to fields that are not secret`
      errors.push({
        pointer: pointer.slice(0, MAX_POINTER_LENGTH),
        code: 'secret',
        message: message.slice(0, MAX_MESSAGE_LENGTH),
      })
    }
  }
  if (errors.length > 0) throw validationFailed(errors)
}

const REFERENCE = /^\$steps\.([A-Za-z][A-Za-z0-9]*)((?:\.\w+)*)$/

interface StepReference {
  pointer: string
  text: string
  step: string
  path: string[]
}

function* findReferences(value: unknown, pointer: string): Generator<StepReference> {
  if (typeof value === 'string') {
    const [text, step, path = ''] = REFERENCE.exec(value) ?? []
    if (text !== undefined && step !== undefined) yield { pointer, text, step, path: path.split('.').slice(1) }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* findReferences(inner, `${pointer}/${escapePointerStep(key)}`)
  }
}

/** Returns the input with each reference replaced by the value to which it refers. */
function replaceReferences(value: unknown, results: ReadonlyMap<string, unknown>, pointer: string): unknown {
  if (typeof value === 'string') {
    const [, step, path = ''] = REFERENCE.exec(value) ?? []
    return step === undefined ? value : readPath(results.get(step), path.split('.').slice(1), value, pointer)
  }
  if (Array.isArray(value)) return value.map((each, i) => replaceReferences(each, results, `${pointer}/${i}`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      replaceReferences(inner, results, `${pointer}/${escapePointerStep(key)}`),
    ]),
  )
}

function readPath(result: unknown, path: readonly string[], text: string, pointer: string): unknown {
  let found = result
  for (const key of path) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
    if (!isThere)
      throw validationFailed([
        {
          pointer,
          code: 'unknown_step',
          message: `must refer to a field in the result of the earlier step; "${text}" does not`,
        },
      ])
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

async function withStepPointer<T>(at: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toBatchProblem(at, '', error)
  }
}

function catchStepProblem<T>(at: number, field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toBatchProblem(at, `/${field}`, error)
  }
}

/** Converts the problem of a step to a problem of the batch, with pointers to the step. */
function toBatchProblem(at: number, field: string, error: unknown): unknown {
  const found = toProblem(error)
  // Does not convert unexpected errors, so that the log contains them in full.
  if (found.status >= 500) return error
  const { errors = [{ pointer: field, code: found.code, message: found.message.slice(0, MAX_MESSAGE_LENGTH) }] } =
    found.extras
  return found.pointingAt(
    errors.map((fault) => ({ ...fault, pointer: `/steps/${at}${fault.pointer}`.slice(0, MAX_POINTER_LENGTH) })),
  )
}

import type { BatchExecution, FieldError } from '../../../client/contract.gen.ts'
import { type Call, keepingHidden, type Reader } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { recorded } from '../../platform/executions/record.ts'
import { LONGEST_MESSAGE } from '../../platform/problems/faults.ts'
import { invalid, LONGEST_POINTER, problem, toProblem } from '../../platform/problems/problem.ts'
import { catalogueOf, type PublishedResult, permitSkill, type Skill } from './catalogue.ts'
import { concealed, readableEvents, runOnce, undoneIf } from './execute.ts'
import { escaped, leadsToSecret, untrustedText } from './marks.ts'

/**
 * Runs several skills as one: in one transaction, with the results of earlier steps in the inputs of later ones.
 * Everything that can be checked in advance is checked before the first step runs. If any step is rejected, nothing has
 * changed.
 */
export async function executeBatch(call: Call, batch: Checked['ExecuteBatch']): Promise<BatchExecution> {
  const { steps, dryRun } = batch
  const catalogue = catalogueOf(call.surroundings.contract)
  const known = steps.flatMap(({ skill }) => catalogue.skills.find(({ name }) => name === skill) ?? [])
  // If a skill does not exist, nothing was run.
  if (known.length < steps.length) planOf(call, steps)
  const skills = known.map(({ name }) => name)
  const wanted = { skill: 'executeBatch', skills, input: { steps }, dryRun, writes: known.some(({ writes }) => writes) }
  return recorded(call, wanted, (call, { id, elapsedMs }) => runAll(call, batch, id, elapsedMs))
}

async function runAll(
  call: Call,
  { steps, dryRun }: Checked['ExecuteBatch'],
  id: string,
  elapsedMs: () => number,
): Promise<BatchExecution> {
  const planned = planOf(call, steps)
  const { clock } = call.surroundings
  const until = clock.nowMs() + MOST_MS
  const runSteps = async (call: Call): Promise<BatchExecution['steps']> => {
    const results = new Map<string, PublishedResult>()
    const done: BatchExecution['steps'] = []
    for (const [at, { name, skill, input }] of planned.entries()) {
      if (clock.nowMs() > until)
        throw problem('too_much_work', `A batch must finish within ${MOST_MS / 1000} seconds. Send fewer steps.`, {
          errors: [{ pointer: `/steps/${at}`, code: 'too_much_work', message: 'did not start in time' }],
        })
      const { result, events } = await belowStep(at, () =>
        runOnce(call, skill, withResults(input, results, `/input`), false),
      )
      results.set(name, result)
      const shown = dryRun ? concealed(skill, result) : result
      const untrusted = untrustedText(skill.marks.output, result)
      done.push({
        ...{ name, skill: skill.name, result: shown, untrustedText: untrusted },
        events: readableEvents(call, events),
      })
    }
    return done
  }
  const writes = planned.some(({ skill }) => skill.writes)
  const done = writes
    ? await call.write((call) => undoneIf(dryRun, keepingHidden(call), runSteps))
    : await runSteps(call)
  return { id, steps: done, dryRun, durationMs: elapsedMs() }
}

/** A transaction holds its locks until it ends, so its duration is limited. */
const MOST_MS = 10_000

interface Step {
  name: string
  skill: Skill
  input: unknown
}

/** Returns the steps of a batch with their skills. Throws all errors that are known before anything runs. */
export function planOf(call: Reader, steps: Checked['ExecuteBatch']['steps']): Step[] {
  const catalogue = catalogueOf(call.surroundings.contract)
  const faults: FieldError[] = []
  const named = new Set<string>()
  const planned = steps.map(({ name, skill: wanted, input }, at): Step => {
    const skill = inStep(at, 'skill', () => {
      const found = catalogue.find(wanted)
      permitSkill(call, found)
      return found
    })
    for (const { pointer, text, step } of referencesIn(input, `/steps/${at}/input`)) {
      if (!named.has(step))
        faults.push({ pointer, code: 'unknown_step', message: `"${text}" does not refer to an earlier step` })
    }
    if (named.has(name))
      faults.push({
        pointer: `/steps/${at}/name`,
        code: 'unique',
        message: 'must be unique; another step has the same name',
      })
    named.add(name)
    return { name, skill, input }
  })
  if (faults.length > 0) throw invalid(faults)
  return planned
}

/**
 * Throws `validation_failed` for a reference to a secret in the result of an earlier step: it would be copied into a
 * field that others read.
 */
export function refuseSecretReferences(call: Reader, steps: Checked['ExecuteBatch']['steps']): void {
  const { skills } = catalogueOf(call.surroundings.contract)
  const outputs = new Map(
    steps.map(({ name, skill }) => [name, skills.find((each) => each.name === skill)?.marks.output ?? null]),
  )
  const faults: FieldError[] = []
  for (const [at, { input }] of steps.entries()) {
    for (const { pointer, text, step, path } of referencesIn(input, `/steps/${at}/input`)) {
      if (!leadsToSecret(outputs.get(step) ?? null, path)) continue
      const message = `"${text}" contains a secret; refer to fields that are not secret`
      faults.push({
        pointer: pointer.slice(0, LONGEST_POINTER),
        code: 'secret',
        message: message.slice(0, LONGEST_MESSAGE),
      })
    }
  }
  if (faults.length > 0) throw invalid(faults)
}

const REFERENCE = /^\$steps\.([A-Za-z][A-Za-z0-9]*)((?:\.\w+)*)$/

interface Reference {
  pointer: string
  text: string
  step: string
  path: string[]
}

function* referencesIn(value: unknown, pointer: string): Generator<Reference> {
  if (typeof value === 'string') {
    const [text, step, path = ''] = REFERENCE.exec(value) ?? []
    if (text !== undefined && step !== undefined) yield { pointer, text, step, path: path.split('.').slice(1) }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* referencesIn(inner, `${pointer}/${escaped(key)}`)
  }
}

/** Returns the input with each reference replaced by the value that it stands for. */
function withResults(value: unknown, results: ReadonlyMap<string, unknown>, pointer: string): unknown {
  if (typeof value === 'string') {
    const [, step, path = ''] = REFERENCE.exec(value) ?? []
    return step === undefined ? value : at(results.get(step), path.split('.').slice(1), value, pointer)
  }
  if (Array.isArray(value)) return value.map((each, i) => withResults(each, results, `${pointer}/${i}`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withResults(inner, results, `${pointer}/${escaped(key)}`)]),
  )
}

function at(result: unknown, path: readonly string[], text: string, pointer: string): unknown {
  let found = result
  for (const key of path) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
    if (!isThere)
      throw invalid([{ pointer, code: 'unknown_step', message: `"${text}" does not exist in the result of that step` }])
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

async function belowStep<T>(at: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw ofStep(at, '', error)
  }
}

function inStep<T>(at: number, field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw ofStep(at, `/${field}`, error)
  }
}

/** Turns the problem of a step into a problem of the batch that names the step. */
function ofStep(at: number, field: string, error: unknown): unknown {
  const found = toProblem(error)
  // Unexpected errors pass through unchanged, so that they are logged in full.
  if (found.status >= 500) return error
  const { errors = [{ pointer: field, code: found.code, message: found.message.slice(0, LONGEST_MESSAGE) }] } =
    found.extras
  return found.pointingAt(
    errors.map((fault) => ({ ...fault, pointer: `/steps/${at}${fault.pointer}`.slice(0, LONGEST_POINTER) })),
  )
}

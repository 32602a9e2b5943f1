import { afterAll, beforeAll, expect, test } from 'vitest'
import { SeededRandom } from '../../scripts/conformance/random.ts'
import { breakValue, makeValidValue } from '../../scripts/conformance/values.ts'
import { contract, listEntriesAtPath } from '../../scripts/conformance/walked-contract.ts'
import { getSkillCatalog, type Skill } from '../../server/interfaces/skills/skill-catalog.ts'
import type { Operation, OperationId } from '../../server/platform/calls/contract.ts'
import { dumpWhenSettled } from '../support/dump.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../support/populated-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/** Runs every skill with its examples and with random inputs, because no input from a model may cause a 500. */
const { skills } = getSkillCatalog(contract)

let populated: PopulatedPlumbline
beforeAll(async () => {
  populated = await startPopulatedPlumbline('enough')
}, 240_000)
afterAll(() => populated?.stop())

/** Returns the contract's examples for a skill, with real IDs. */
function exampleInputs({ name, kind }: Skill): unknown[] {
  const { world } = populated
  const operation = contract.operations.get(name as OperationId)
  if (kind === 'operation' && operation !== undefined)
    return world.bodiesOf(operation).map((body) => ({ ...getPath(operation), ...(body as object | undefined) }))
  return listEntriesAtPath('x-skills', name, 'examples').map(([, example]) => world.real(example.value ?? {}))
}

function getPath(operation: Operation): Record<string, unknown> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return Object.fromEntries(names.map((name) => [name, populated.world.idFor(name) ?? 'ven_none']))
}

/** Returns a random input. One in three violates the skill's schema. */
function randomInput({ inputSchema }: Skill, random: SeededRandom): unknown {
  const { world } = populated
  const idFor = (field: string) => {
    const ids = world.idsFor(field)
    return ids.length === 0 ? undefined : random.pick(ids)
  }
  // Removes lookaround from patterns, because the generator of values does not support it.
  const schema: unknown = JSON.parse(JSON.stringify(inputSchema), (name, value) =>
    name === 'pattern' && /\(\?[=!<]/.test(value) ? undefined : value,
  )
  const input = makeValidValue(schema, { random, idFor, url: world.receiver })
  return random.chance(0.3) ? breakValue(schema, input, random) : input
}

async function run(skill: Skill, input: unknown, dryRun: boolean): Promise<number> {
  const { plumbline } = populated
  const { status, body } = await plumbline.post('/api/ext/execute', { skill: skill.name, input, dryRun })
  expect(status, `${skill.name} ${JSON.stringify(input)?.slice(0, 2000)}\n${JSON.stringify(body)}`).toBeLessThan(500)
  return status
}

test('a dry run of every skill leaves every byte of the database unchanged', { timeout: TIMEOUT_MS }, async () => {
  const { database } = populated.plumbline
  const before = await dumpWhenSettled(database)
  const succeeded = new Set<string>()
  const writing = skills.filter(({ writes }) => writes)
  const random = new SeededRandom(SEED)
  for (const skill of writing)
    for (const input of [...exampleInputs(skill), randomInput(skill, random)])
      if ((await run(skill, input, true)) === 200) succeeded.add(skill.name)
  expect(await dumpWhenSettled(database)).toEqual(before)
  // The number must be high, because rejected skills prove little.
  console.log(`${succeeded.size} of ${writing.length} skills that write were tried out with success`)
  expect(succeeded.size).toBeGreaterThan(writing.length / 2)
})

test('every skill returns a result or a problem for random input', { timeout: TIMEOUT_MS }, async () => {
  const statuses = new Map<number, number>()
  const deadlineMs = performance.now() + SECONDS * 1000
  await repeatUntilDeadline(deadlineMs, async (seed) => {
    const random = new SeededRandom(seed)
    for (const skill of skills) {
      const status = await run(skill, randomInput(skill, random), random.chance(0.5))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  const reported = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
  console.log(
    `${[...statuses.values()].reduce((sum, count) => sum + count, 0)} inputs, seed ${SEED}: ${reported.join(', ')}`,
  )
  expect(statuses.get(200) ?? 0).toBeGreaterThan(skills.length / 10)
})

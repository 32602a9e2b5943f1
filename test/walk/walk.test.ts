import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/contract.ts'
import { type Populated, startPopulated } from '../support/populated.ts'
import { access } from './access.ts'
import { events } from './events.ts'
import { inputs } from './inputs.ts'
import { paths } from './paths.ts'
import { preconditions } from './preconditions.ts'

/**
 * Rules for all operations of the contract, tested on one service with resources of every kind; all parts except the
 * last leave it unchanged. `-t 'conditions'` runs one part.
 */
let populated: Populated

beforeAll(async () => {
  populated = await startPopulated()
}, 120_000)
afterAll(() => populated?.stop())

test('the examples of the contract create resources for every operation', () => {
  const missing = [...contract.operations.values()].map((operation) => populated.world.missingFor(operation))
  expect(missing.filter((what) => what !== null)).toEqual([])
})

paths(() => populated)
preconditions(() => populated)
inputs(() => populated)
access(() => populated)
events(() => populated)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../support/populated-plumbline.ts'
import { testAccess } from './access.ts'
import { testEvents } from './events.ts'
import { testInputs } from './inputs.ts'
import { testPaths } from './paths.ts'
import { testPreconditions } from './preconditions.ts'

/**
 * Rules for all operations of the contract, tested on one service with resources of every kind; all parts except the
 * last leave it unchanged. `-t 'conditions'` runs one part.
 */
let populated: PopulatedPlumbline

beforeAll(async () => {
  populated = await startPopulatedPlumbline()
}, 120_000)
afterAll(() => populated?.stop())

test('the examples of the contract create resources for every operation', () => {
  const missing = [...contract.operations.values()].map((operation) => populated.world.missingFor(operation))
  expect(missing.filter((what) => what !== null)).toEqual([])
})

testPaths(() => populated)
testPreconditions(() => populated)
testInputs(() => populated)
testAccess(() => populated)
testEvents(() => populated)

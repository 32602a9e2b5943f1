import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../support/populated-plumbline.ts'
import { testAccess } from './access.ts'
import { testEvents } from './events.ts'
import { testInputs } from './inputs.ts'
import { testPaths } from './paths.ts'
import { testPreconditions } from './preconditions.ts'

/**
 * Tests rules for all operations of the contract on one service with resources of every kind. Only the last part
 * changes data. `-t 'conditions'` runs only the part with this name.
 */
let populated: PopulatedPlumbline

beforeAll(async () => {
  populated = await startPopulatedPlumbline()
}, 120_000)
afterAll(() => populated?.stop())

test('the contract examples can create the resources that every operation needs', () => {
  const missing = [...contract.operations.values()].map((operation) => populated.world.missingFor(operation))
  expect(missing.filter((what) => what !== null)).toEqual([])
})

testPaths(() => populated)
testPreconditions(() => populated)
testInputs(() => populated)
testAccess(() => populated)
testEvents(() => populated)

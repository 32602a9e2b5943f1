import { expect, test } from 'vitest'
import { contract } from '../scripts/conformance/walked-contract.ts'
import * as enums from './enums.gen.ts'

test('every named enum in the contract is exported as a constant with its values in order', () => {
  const schemas = Object.entries(contract.document.components.schemas ?? {}) as [string, { enum?: string[] }][]
  const declared = schemas.flatMap(([name, { enum: values }]) =>
    values === undefined ? [] : [[`${name.charAt(0).toLowerCase()}${name.slice(1)}Values`, values]],
  )
  expect(declared.length).toBeGreaterThan(90)
  expect({ ...enums }).toEqual(Object.fromEntries(declared))
  expect(enums.bidStatusValues).toContain('accepted')
})

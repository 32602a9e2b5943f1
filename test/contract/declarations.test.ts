import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { compileWithOwnSettings } from '../support/compile.ts'

/**
 * Mistakes that a developer may make in the declaration of a resource or its operations, with the compiler's message
 * for each.
 */
const RESOURCE = `import { defineResource } from '${root}/server/platform/resources/resource.ts'
import { declareRowType } from '${root}/server/platform/resources/declaration.ts'
import type { Bid, Vendor } from '${root}/client/contract.gen.ts'
export type Types = [Bid, Vendor]
declareRowType<Bid>()
`
const HANDLERS = `import { type Handlers, mergeHandlers } from '${root}/server/platform/calls/operation.ts'
const scopes = { async archiveScope() { return { status: 204 } } } satisfies Partial<Handlers>
const home = { async archiveHome() { return { status: 204 } } } satisfies Partial<Handlers>
`

const WRONG: [what: string, source: string, error: RegExp][] = [
  [
    'a record that the contract does not have',
    `${RESOURCE}defineResource({ schema: 'Seller' })`,
    /"Seller"' is not assignable/,
  ],
  [
    'a field without a column',
    `${RESOURCE}defineResource({ schema: 'Bid', computed: { poIds: '', contractId: '', amountsHidden: '' }, row: declareRowType<Bid & { rating: number }>() })`,
    /"There is no column rating\."/,
  ],
  [
    'a field of the contract without a column',
    `${RESOURCE}defineResource({ schema: 'Bid', computed: { poIds: '', contractId: '' }, stored: { amount: 'decimal' }, row: declareRowType<Bid & { amount: number }>() })`,
    /"There is no column amountsHidden\."/,
  ],
  [
    'a column that is null where the contract never is',
    `${RESOURCE}defineResource({ schema: 'Bid', without: ['amountsHidden'], computed: { poIds: '', contractId: '' } })`,
    /"The column amount is \\"numeric\\", which cannot store \\"decimal\?\\"\."/,
  ],
  [
    'a column that nothing fills',
    `${RESOURCE}defineResource({ schema: 'Vendor', without: ['portalStatus'], row: declareRowType<Omit<Vendor, 'portalStatus'>>() })`,
    /"Nothing fills the column portalStatus, which cannot be null\."/,
  ],
  [
    'a text declared as an id',
    `${RESOURCE}defineResource({ schema: 'Vendor', stored: { companyName: 'id' } })`,
    /"id"' is not assignable to type '"date" \| "instant" \| "text"/,
  ],
  [
    'a number declared as a text',
    `${RESOURCE}defineResource({ schema: 'Vendor', stored: { poLimit: 'text?' } })`,
    /"text\?"' is not assignable to type '"decimal\?" \| "integer\?"/,
  ],
  [
    'a field of a body that the row does not have',
    `${RESOURCE}import type { WriteCall } from '${root}/server/platform/calls/call.ts'
      const scopes = defineResource({ schema: 'Scope' })
      export const add = (call: WriteCall, body: { name: string; sequence: number; color?: string }) =>
        scopes.insert(call, { ...body })`,
    /color/,
  ],
  [
    'a handler of an operation that the contract does not have',
    `${HANDLERS}export const more = { async sellHome() { return { status: 204 } } } satisfies Partial<Handlers>`,
    /'sellHome' does not exist/,
  ],
  [
    'an operation that two slices handle',
    `${HANDLERS}export const all = mergeHandlers(scopes, home, scopes)`,
    /"archiveScope is handled twice"/,
  ],
  [
    'an operation that no slice handles',
    `${HANDLERS}export const all: Handlers = mergeHandlers(scopes, home)`,
    /missing the following properties from type 'Handlers'/,
  ],
]

test('the compiler error for an invalid declaration describes the error', {
  timeout: 120_000,
}, () => {
  const right = `${RESOURCE}${HANDLERS}
    export const { list } = defineResource({ schema: 'Vendor' })
    export const some = mergeHandlers(scopes, home)`
  const wrong = Object.fromEntries(WRONG.map(([, source], i) => [`wrong${i}.ts`, source]))
  const errors = compileWithOwnSettings({ 'right.ts': right, ...wrong })
  expect(errors['right.ts']).toEqual([])
  const said = WRONG.map(([what], i) => `${what}: ${errors[`wrong${i}.ts`]?.join(' ')}`)
  for (const [i, [, , error]] of WRONG.entries()) expect.soft(said[i]).toMatch(error)
})

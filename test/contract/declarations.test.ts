import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/contract.ts'
import { compileAsOwn } from '../support/compile.ts'

/** Mistakes that a slice may make about its resource or its operations, and the compiler's message about each. */
const RESOURCE = `import { resource } from '${root}/server/platform/resources/resource.ts'
import { rowOf } from '${root}/server/platform/resources/declared.ts'
import type { Bid, Vendor } from '${root}/client/contract.gen.ts'
export type Types = [Bid, Vendor]
rowOf<Bid>()
`
const HANDLERS = `import { type Handlers, together } from '${root}/server/platform/calls/operation.ts'
const scopes = { async archiveScope() { return { status: 204 } } } satisfies Partial<Handlers>
const home = { async archiveHome() { return { status: 204 } } } satisfies Partial<Handlers>
`

const WRONG: [what: string, source: string, error: RegExp][] = [
  [
    'a record that the contract does not have',
    `${RESOURCE}resource({ schema: 'Seller' })`,
    /"Seller"' is not assignable/,
  ],
  [
    'a field without a column',
    `${RESOURCE}resource({ schema: 'Bid', computed: { poIds: '', contractId: '', amountsHidden: '' }, row: rowOf<Bid & { rating: number }>() })`,
    /"There is no column rating\."/,
  ],
  [
    'a field of the contract without a column',
    `${RESOURCE}resource({ schema: 'Bid', computed: { poIds: '', contractId: '' }, stored: { amount: 'decimal' }, row: rowOf<Bid & { amount: number }>() })`,
    /"There is no column amountsHidden\."/,
  ],
  [
    'a column that is null where the contract never is',
    `${RESOURCE}resource({ schema: 'Bid', without: ['amountsHidden'], computed: { poIds: '', contractId: '' } })`,
    /"The column amount is \\"numeric\\", which does not hold \\"decimal\?\\"\."/,
  ],
  [
    'a column that nothing fills',
    `${RESOURCE}resource({ schema: 'Vendor', without: ['portalStatus'], row: rowOf<Omit<Vendor, 'portalStatus'>>() })`,
    /"Nothing fills the column portalStatus, which cannot be null\."/,
  ],
  [
    'a text declared as an id',
    `${RESOURCE}resource({ schema: 'Vendor', stored: { companyName: 'id' } })`,
    /"id"' is not assignable to type '"date" \| "instant" \| "text"/,
  ],
  [
    'a number declared as a text',
    `${RESOURCE}resource({ schema: 'Vendor', stored: { poLimit: 'text?' } })`,
    /"text\?"' is not assignable to type '"decimal\?" \| "integer\?"/,
  ],
  [
    'a field of a body that the row does not have',
    `${RESOURCE}import type { WriteCall } from '${root}/server/platform/calls/call.ts'
      const scopes = resource({ schema: 'Scope' })
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
    `${HANDLERS}export const all = together(scopes, home, scopes)`,
    /"archiveScope is handled twice"/,
  ],
  [
    'an operation that no slice handles',
    `${HANDLERS}export const all: Handlers = together(scopes, home)`,
    /missing the following properties from type 'Handlers'/,
  ],
]

test('a mistake in a slice does not compile, and the error names it', { timeout: 120_000 }, () => {
  const right = `${RESOURCE}${HANDLERS}
    export const { list } = resource({ schema: 'Vendor' })
    export const some = together(scopes, home)`
  const wrong = Object.fromEntries(WRONG.map(([, source], i) => [`wrong${i}.ts`, source]))
  const errors = compileAsOwn({ 'right.ts': right, ...wrong })
  expect(errors['right.ts']).toEqual([])
  const said = WRONG.map(([what], i) => `${what}: ${errors[`wrong${i}.ts`]?.join(' ')}`)
  for (const [i, [, , error]] of WRONG.entries()) expect.soft(said[i]).toMatch(error)
})

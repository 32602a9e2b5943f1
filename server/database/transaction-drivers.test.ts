import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { later } from './transaction-drivers.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const divided = (by: number) => CompiledQuery.raw('select 1 / $1::int as "share" -- left for later', [by])
const renamed = (name: string) => CompiledQuery.raw('update "organizations" set "name" = $1', [name])

async function names(): Promise<string[]> {
  const { rows } = await plumbline.database.statements.executeQuery<{ name: string }>(
    CompiledQuery.raw('select "name" from "organizations"'),
  )
  return rows.map(({ name }) => name)
}

test('what is left for later is done with the commit, and in its order', async () => {
  await plumbline.database.transaction(async (trx) => {
    await trx.executeQuery(later(renamed('First')))
    await trx.executeQuery(later(renamed('Last')))
  })
  expect(await names()).toEqual(['Last'])
})

test('what is left for later and refused undoes the transaction, and its connection goes on', async () => {
  const attempt = (by: number, name: string) =>
    plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(renamed(name))
      await trx.executeQuery(later(divided(by)))
    })
  // The first time, everything has to be prepared in the packet that is refused.
  for (let i = 0; i < 3; i++) await expect(attempt(0, 'Refused')).rejects.toThrow('division by zero')
  expect(await names()).toEqual(['Last'])
  await attempt(1, 'Kept')
  expect(await names()).toEqual(['Kept'])
})

test('a statement behind one that is refused is not done, and can be asked again', async () => {
  const attempt = (by: number) =>
    plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(later(divided(by)))
      return trx.executeQuery(CompiledQuery.raw('select $1::text as "said"', ['done']))
    })
  await expect(attempt(0)).rejects.toThrow('division by zero')
  expect((await attempt(1)).rows).toEqual([{ said: 'done' }])
})

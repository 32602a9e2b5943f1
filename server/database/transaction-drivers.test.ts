import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { together } from './together.ts'
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

test('statements that are asked for together are done in their order, however they are written', async () => {
  const written = await plumbline.database.transaction(async (trx) => {
    await trx.executeQuery(renamed(''))
    const builder = trx.updateTable('organizations').set((eb) => ({ name: sql`${eb.ref('name')} || 'b'` }))
    const rest = await together(
      sql<{ name: string }>`update "organizations" set "name" = "name" || 'a' returning "name"`.execute(trx),
      builder.returning('name').execute(),
      trx.executeQuery<{ name: string }>(
        CompiledQuery.raw(`update "organizations" set "name" = "name" || $1 returning "name"`, ['c']),
      ),
    )
    return rest
  })
  expect(written).toMatchObject([{ rows: [{ name: 'a' }] }, [{ name: 'ab' }], { rows: [{ name: 'abc' }] }])
})

test('if one of them is refused all are, the first failure is told, and nothing of the transaction stays', async () => {
  const attempt = plumbline.database.transaction(async (trx) => {
    await together(
      trx.executeQuery(renamed('Refused')),
      trx.executeQuery(divided(0)),
      trx.executeQuery(CompiledQuery.raw('select no_such_column')),
    )
  })
  await expect(attempt).rejects.toThrow('division by zero')
  expect(await names()).toEqual(['abc'])
})

test('what was prepared ahead of something else can be asked again after it has failed by itself', async () => {
  const share = CompiledQuery.raw('select 1 / $1::int as "share" -- prepared on the way', [0])
  const half = { ...share, parameters: [1] }
  const { transaction } = plumbline.database
  await transaction((trx) => together(trx.executeQuery(half), trx.executeQuery(CompiledQuery.raw('select 2'))))
  await expect(transaction((trx) => trx.executeQuery(share))).rejects.toThrow('division by zero')
  expect((await transaction((trx) => trx.executeQuery(half))).rows).toEqual([{ share: 1 }])
})

test('a transaction that is over takes no statement', async () => {
  const over = await plumbline.database.transaction(async (trx) => trx)
  await expect(over.executeQuery(renamed('Late'))).rejects.toThrow('The transaction is over.')
  expect(await names()).toEqual(['abc'])
})

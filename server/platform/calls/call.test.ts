import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import { createSystemCall } from '../keys/principals.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const newCall = () => createSystemCall(plumbline.app.services, plumbline.organizationId)

// The embedded database has only one connection. If the statement were not rejected, it would wait forever.
test('a statement outside the open transaction of a call causes the transaction to be rolled back', async () => {
  const outer = await newCall()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Brazos Framing',
    scopes: ['framing'],
  })
  const work = outer.write(async (call) => {
    const before = await vendors.lock(call, vendor.id)
    await vendors.update(call, before, { companyName: 'Another' })
    await vendors.find(outer, vendor.id)
  })
  await expect(work).rejects.toThrow('Expected the call that call.write passes to its callback')
  expect((await vendors.find(outer, vendor.id)).companyName).toBe('Brazos Framing')
})

test('a nested transaction is rolled back with the outer transaction', async () => {
  const call = await newCall()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Redrock Concrete',
    scopes: ['concrete'],
  })
  const work = call.write(async (call) => {
    await call.write(async (call) => {
      await vendors.update(call, await vendors.lock(call, vendor.id), { companyName: 'Another' })
    })
    expect((await vendors.find(call, vendor.id)).companyName).toBe('Another')
    throw new Error('thought better of it')
  })
  await expect(work).rejects.toThrow('thought better of it')
  expect((await vendors.find(call, vendor.id)).companyName).toBe('Redrock Concrete')
})

test('an afterCommit callback runs only after the outermost transaction is committed', async () => {
  const done: string[] = []
  const succeeding = await newCall()
  await succeeding.write(async (call) => {
    await call.write(async (call) => call.afterCommit(() => done.push('inner')))
    call.afterCommit(() => done.push('outer'))
    expect(done).toEqual([])
  })
  const failing = await newCall()
  await failing
    .write(async (call) => {
      call.afterCommit(() => done.push('never'))
      throw new Error('no')
    })
    .catch(() => {})
  expect(done).toEqual(['inner', 'outer'])
})

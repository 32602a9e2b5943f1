import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { createSystemCall } from '../../platform/keys/principals.ts'
import { allowPostingErasure } from './erasure.ts'
import { toPostingDate } from './period.ts'
import type { NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

let plumbline: TestPlumbline
let organizationId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
beforeEach(async () => {
  organizationId = (await plumbline.newBuilder()).organizationId
})
afterAll(() => plumbline.stop())

const write = async <T>(work: (call: WriteCall) => Promise<T>) =>
  (await createSystemCall(plumbline.app.services, organizationId)).write(work)
const stored = async () =>
  (
    await sql<Record<string, unknown>>`
      select * from "postings" where "organizationId" = ${organizationId} order by "sequence"`.execute(
      plumbline.database.statements,
    )
  ).rows
const cost = (amount: number, effectiveDate = '2026-10-20'): NewPosting[] => {
  const key = { effectiveDate, homeId: 'hom_1', scope: 'framing', poId: 'po_1', vendorId: 'ven_1' }
  return [
    { measure: 'cost', amount, ...key },
    { measure: 'unbilled', amount, ...key },
  ]
}
const close = (throughDate: string) =>
  sql`update "ledgers" set "closedThrough" = ${throughDate} where "organizationId" = ${organizationId}`.execute(
    plumbline.database.statements,
  )

test('all postings of one call belong to one ledger entry', async () => {
  const first = await write((call) => recordPostings(call, { postings: cost(1000.01) }))
  const second = await write((call) =>
    recordPostings(call, { postings: cost(-0.01), reversesEntryId: first, note: 'Corrected.' }),
  )
  expect(first).toMatch(/^ent_/)
  const of = { organizationId, effectiveDate: '2026-10-20', homeId: 'hom_1', scope: 'framing', poId: 'po_1' }
  expect(await stored()).toMatchObject([
    { ...of, entryId: first, measure: 'cost', amount: 1000.01, basis: 'recorded', actor: { type: 'system', id: null } },
    { ...of, entryId: first, measure: 'unbilled', amount: 1000.01, reversesEntryId: null, note: null },
    { ...of, entryId: second, measure: 'cost', amount: -0.01, reversesEntryId: first, note: 'Corrected.' },
    { ...of, entryId: second, measure: 'unbilled', amount: -0.01, reversesEntryId: first },
  ])
})

test('an amount of zero creates no ledger posting', async () => {
  expect(await write((call) => recordPostings(call, { postings: cost(0) }))).toBeNull()
  expect(await stored()).toEqual([])
})

test('a ledger entry whose postings do not balance is rejected', async () => {
  const [only = []] = [cost(5).slice(0, 1)]
  await expect(write((call) => recordPostings(call, { postings: only }))).rejects.toThrow('Expected a balanced entry')
  const elsewhere = cost(5).map((posting, i) => ({ ...posting, homeId: `hom_${i}` }))
  await expect(write((call) => recordPostings(call, { postings: elsewhere }))).rejects.toThrow('balanced')
  expect(await stored()).toEqual([])
})

test('the database rejects changes and deletions of ledger postings', async () => {
  await write((call) => recordPostings(call, { postings: cost(5) }))
  const before = await stored()
  const { statements } = plumbline.database
  await expect(sql`update "postings" set "amount" = 1`.execute(statements)).rejects.toThrow('cannot be changed')
  await expect(sql`delete from "postings"`.execute(statements)).rejects.toThrow('cannot be changed')
  await expect(sql`truncate "postings"`.execute(statements)).rejects.toThrow('cannot be changed')
  expect(await stored()).toEqual(before)
})

test('an erasure can delete postings but cannot change them', async () => {
  await write((call) => recordPostings(call, { postings: cost(5) }))
  const erase = (statement: ReturnType<typeof sql>) =>
    plumbline.database.transaction(async (trx) => {
      await allowPostingErasure(trx)
      await statement.execute(trx)
    })
  await expect(
    erase(sql`update "postings" set "amount" = 1 where "organizationId" = ${organizationId}`),
  ).rejects.toThrow('cannot be changed')
  await erase(sql`delete from "postings" where "organizationId" = ${organizationId}`)
  expect(await stored()).toEqual([])
})

test('work that is dated in a closed period is posted on the first open day', async () => {
  await write((call) => recordPostings(call, { postings: cost(5) }))
  await close('2026-10-31')
  await expect(write((call) => recordPostings(call, { postings: cost(5, '2026-10-31') }))).rejects.toMatchObject({
    code: 'conflict',
    extras: { reason: 'period_closed', earliestDate: '2026-11-01' },
  })
  expect(await write((call) => toPostingDate(call, '2026-10-28'))).toBe('2026-11-01')
  expect(await write((call) => toPostingDate(call, '2026-11-02'))).toBe('2026-11-02')
  await write((call) => recordPostings(call, { postings: cost(5, '2026-11-01') }))
  expect(await stored()).toHaveLength(4)
})

test('if two concurrent calls make the first postings of a builder, both are recorded', async () => {
  await Promise.all([cost(5), cost(7)].map((postings) => write((call) => recordPostings(call, { postings }))))
  expect(await stored()).toHaveLength(4)
})

import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { startTestPlumbline } from '../../test/support/plumbline.ts'
import { divided, LEAST_CONNECTIONS, USUAL_CONNECTIONS } from './connection-plan.ts'

test('whatever is asked for is divided without a rest, and everybody gets some', () => {
  for (let asked = LEAST_CONNECTIONS; asked <= 1000; asked++) {
    const { transactions, calls, others } = divided(asked)
    const lanes = [calls.reading, calls.writing, calls.burdened, others.reading, others.writing, others.burdened]
    // The one that remains is for the start.
    expect(lanes.reduce((sum, count) => sum + count, transactions)).toBe(asked - 1)
    expect(Math.min(transactions, calls.writing)).toBeGreaterThan(0)
  }
})

test('four processes fit what PostgreSQL allows by default', () => {
  expect(4 * USUAL_CONNECTIONS).toBeLessThanOrEqual(100 - 3)
})

// The embedded database has one connection.
test.skipIf(inject('postgres') === null)('a process under load opens no more connections than it may', async () => {
  const plumbline = await startTestPlumbline({ DATABASE_CONNECTIONS: '14' })
  try {
    const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) =>
        [
          () => plumbline.get('/api/ext/vendors'),
          () => plumbline.post('/api/ext/vendors', { companyName: `Vendor ${n}` }),
          () => plumbline.patch(`/api/ext/vendors/${vendor.id}`, { companyName: `Vendor ${n}` }),
        ][n % 3]?.(),
      ),
    )
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200, 201]))
    const { rows } = await sql<{ open: number }>`
      select count(*)::integer as "open" from "pg_stat_activity" where "datname" = current_database()`.execute(
      plumbline.database.statements,
    )
    expect(rows[0]?.open).toBeLessThanOrEqual(14)
    expect(rows[0]?.open).toBeGreaterThan(5)
  } finally {
    await plumbline.stop()
  }
})

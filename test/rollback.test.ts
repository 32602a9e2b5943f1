import { expect, test } from 'vitest'
import { findLastRelease } from '../scripts/drill/earlier-version.ts'
import { testRollback } from '../scripts/drill/rollback.ts'
import { hasPostgres } from '../scripts/processes/postgres.ts'

if (findLastRelease() === null)
  console.error('The repository does not have the last release: the rollback is not tried.')

test.skipIf(!hasPostgres() || findLastRelease() === null)(
  'the last release works with the database schema of this version, including events and webhooks',
  { timeout: 180_000 },
  async () => {
    let checks = 0
    await testRollback((held, what) => {
      checks++
      expect.soft(held, what).toBe(true)
    })
    expect(checks).toBe(18)
  },
)

import { expect, inject, test } from 'vitest'
import { testTwoOwners } from '../scripts/drill/two-owners.ts'

test.skipIf(inject('postgres') !== null)(
  'a data folder has one owner, whose acknowledged writes survive kill -9',
  { timeout: 120_000 },
  async () => {
    let checks = 0
    await testTwoOwners((held, what) => {
      checks++
      expect.soft(held, what).toBe(true)
    })
    expect(checks).toBeGreaterThanOrEqual(4)
  },
)

import { expect, inject, test } from 'vitest'
import { testMove } from '../scripts/drill/move.ts'

test.skipIf(inject('postgres') === null)(
  'an embedded database can be moved to PostgreSQL with its keys, links, files, and secrets',
  { timeout: 180_000 },
  async () => {
    let checks = 0
    await testMove((held, what) => {
      checks++
      expect.soft(held, what).toBe(true)
    })
    expect(checks).toBe(12)
  },
)

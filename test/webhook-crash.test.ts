import { beforeAll, describe, expect, inject, test } from 'vitest'
import { KILL_POINTS, testKillPoint } from '../scripts/crash/kill-points.ts'
import { createBuilder, createUnlimitedEnvironment, type Environment } from '../scripts/processes/service.ts'
import { createPostgresUrl } from './support/databases.ts'

/**
 * Kills a process at each point of an event's processing. `npm run test:crash` runs a longer test, which kills
 * processes at random moments.
 */
const postgres = inject('postgres')

describe.skipIf(postgres === null)('an event of a process that is killed is delivered only if it was committed', () => {
  let environment: Environment
  let key: string

  beforeAll(async () => {
    if (postgres === null) return
    environment = createUnlimitedEnvironment({ DATABASE_URL: await createPostgresUrl(postgres) })
    ;({ key } = await createBuilder(environment))
  })

  test.concurrent.each(KILL_POINTS)(
    '%s',
    async (point) => {
      if (postgres === null) throw new Error('This test needs PostgreSQL.')
      // Copies the database in which the builder exists.
      const templateName = new URL(environment.DATABASE_URL ?? '').pathname.slice(1)
      const DATABASE_URL = await createPostgresUrl({ ...postgres, templateName })
      const found = await testKillPoint(point, { ...environment, DATABASE_URL }, key)
      expect(found.faults).toEqual([])
    },
    120_000,
  )
})

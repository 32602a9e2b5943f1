import { describe, expect, inject, test } from 'vitest'
import { dieAt, POINTS } from '../scripts/crash/points.ts'
import { openEnvironment } from '../scripts/processes/service.ts'
import { newPostgresUrl } from './support/plumbline.ts'

/** A process is killed at each point of an event's way; `npm run test:crash` is the long series of random deaths. */
const postgres = inject('postgres')

describe.skipIf(postgres === null)(
  'an event whose process is killed is delivered, whole, and only if it was committed',
  () => {
    test.concurrent.each(POINTS)(
      '%s',
      async (point) => {
        if (postgres === null) throw new Error('This test needs PostgreSQL.')
        const found = await dieAt(point, openEnvironment({ DATABASE_URL: await newPostgresUrl(postgres) }))
        expect(found.faults).toEqual([])
      },
      120_000,
    )
  },
)

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import type { SentStatement } from '../database/pool-driver.ts'
import { findDueJobs } from './find-due-jobs.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

test('one statement finds all jobs that have due work', async () => {
  const { database, clock, organizationId } = plumbline
  const sent: string[] = []
  const note = (message: unknown) => sent.push((message as SentStatement).text)
  const due = await (async () => {
    subscribe('plumbline:statement', note)
    try {
      return await findDueJobs(
        database,
        clock.now(),
        new Map([
          ['once', () => sql`select "id" as "organizationId" from "organizations" where "id" = ${organizationId}`],
          ['often', () => sql`select "organizationId" from "users" union all select "organizationId" from "users"`],
          [
            'never',
            (now: Date) =>
              sql`select "organizationId" from "users" where "createdAt" > ${now}::timestamptz + interval '1 day'`,
          ],
        ]),
      )
    } finally {
      unsubscribe('plumbline:statement', note)
    }
  })()
  expect([...due].sort()).toEqual(['often', 'once'])
  expect(sent.filter((text) => text.includes('"often"') || text.includes(`'often'`))).toHaveLength(1)
})

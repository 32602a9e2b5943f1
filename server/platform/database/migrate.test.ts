import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { DatabaseUnavailableError } from './connection-errors.ts'
import { type Db, openDatabase } from './database.ts'
import { buildIndexesAhead, createIndexes } from './large-indexes.ts'
import { migrate, retryWithLockTimeout } from './migrate.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const db = () => plumbline.database.statements

async function getDefinition(name: string): Promise<string | undefined> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_indexdef(x."indexrelid") || case when x."indisvalid" then '' else ' invalid' end as "text"
    from "pg_index" x join "pg_class" c on c."oid" = x."indexrelid" where c."relname" = ${name}`.execute(db())
  return rows[0]?.text
}

test('the previous version of the service starts on a database that a later version has migrated', async () => {
  await sql`insert into "kysely_migration" values ('9999_of_the_next_version', now())`.execute(db())
  expect(await migrate(plumbline.database)).toEqual([])
  await sql`delete from "kysely_migration" where "name" = '9999_of_the_next_version'`.execute(db())
  expect(await migrate(plumbline.database)).toEqual([])
})

const BY_NAME = { name: 'vendors_ahead', on: '"vendors" ("organizationId", "companyName", "id")' }

test('an index that was not built in advance is created by the migration', async () => {
  const index = { ...BY_NAME, name: 'vendors_within' }
  await createIndexes(db(), [index])
  await createIndexes(db(), [index])
  expect(await getDefinition('vendors_within')).toMatch(
    /ON public\.vendors USING btree \("organizationId", "companyName", id\)$/,
  )
})

test.skipIf(inject('postgres') === null)(
  'a migration that waits for a long read does not block other requests',
  async () => {
    const { database } = plumbline
    const [begun, reading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const read = database.transaction(async (trx) => {
      await sql`lock table "searchQueue" in access share mode`.execute(trx)
      begun.resolve()
      await reading.promise
    })
    await begun.promise
    const changed = database.sessions
      .connection()
      .execute((db) =>
        retryWithLockTimeout(db, 200, () => sql`alter table "searchQueue" add column "later" text`.execute(db)),
      )
    await until(async () => {
      const { rows } = await sql`select from "pg_locks" where "mode" = 'AccessExclusiveLock' and not "granted"`.execute(
        db(),
      )
      return rows.length > 0
    })
    // Creating a vendor also writes to the search queue, so the request waits for the migration.
    expect((await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })).status).toBe(201)
    reading.resolve()
    await read
    await changed
  },
)

test.skipIf(inject('postgres') === null)('a migration in a deadlock is rolled back and starts again', async () => {
  const { database } = plumbline
  const [othersHold, changeHolds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const other = database.transaction(async (trx) => {
    // The long timeout ensures that the migration, instead of this transaction, detects the deadlock.
    await sql`set local deadlock_timeout = '1min'`.execute(trx)
    await sql`lock table "searchQueue" in access exclusive mode`.execute(trx)
    othersHold.resolve()
    await changeHolds.promise
    await sql`lock table "links" in access exclusive mode`.execute(trx)
  })
  await othersHold.promise
  let attempts = 0
  await database.sessions.connection().execute((db) =>
    retryWithLockTimeout(db, 0, () =>
      db.transaction().execute(async (trx) => {
        attempts++
        await sql`lock table "links" in access exclusive mode`.execute(trx)
        changeHolds.resolve()
        await sql`lock table "searchQueue" in access exclusive mode`.execute(trx)
      }),
    ),
  )
  await other
  expect(attempts).toBe(2)
})

describe.skipIf(inject('postgres') === null)('an index of a large table is built ahead', () => {
  test('building an index in advance blocks neither writes nor the migration', async () => {
    const { database } = plumbline
    const [begun, writing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const committed = database.transaction(async (trx: Db) => {
      await sql`update "vendors" set "companyName" = "companyName" where false`.execute(trx)
      begun.resolve()
      await writing.promise
    })
    await begun.promise
    const building = Promise.all([buildIndexesAhead(database, [BY_NAME]), buildIndexesAhead(database, [BY_NAME])])
    // Building an index waits for transactions that had already written when the build began, but not for later
    // transactions.
    await until(async () => (await getDefinition(BY_NAME.name))?.endsWith(' invalid') === true)
    const { status } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
    expect(status).toBe(201)
    writing.resolve()
    await committed
    await building
    expect(await getDefinition(BY_NAME.name)).toMatch(/"companyName", id\)$/)

    // `up` must not lock the table. Otherwise, it would wait for the transaction that has just written to the table.
    await database.transaction(async (writer) => {
      await sql`update "vendors" set "companyName" = "companyName"`.execute(writer)
      await database.transaction((trx) => createIndexes(trx, [BY_NAME]))
    })
  })

  test('an index is built again if its first build was interrupted', async () => {
    const index = { ...BY_NAME, name: 'vendors_halfway', isUnique: true }
    for (const code of ['a', 'b']) await plumbline.post('/api/ext/vendors', { companyName: `Twin ${code}` })
    const same = { ...index, on: '"vendors" (("organizationId" || \'\'))' }
    await expect(buildIndexesAhead(plumbline.database, [same])).rejects.toThrow('could not create unique index')
    expect(await getDefinition(index.name)).toMatch(/ invalid$/)
    await buildIndexesAhead(plumbline.database, [index])
    expect(await getDefinition(index.name)).toMatch(/UNIQUE INDEX .*"companyName", id\)$/)
  })

  test('an index is not built in advance if the same upgrade adds its column', async () => {
    await buildIndexesAhead(plumbline.database, [
      { name: 'vendors_later', on: '"vendors" ("organizationId", "later")' },
    ])
    expect(await getDefinition('vendors_later')).toBeUndefined()
  })
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await holds())) if (Date.now() > deadline) throw new Error('It did not happen within ten seconds.')
}

test.skipIf(inject('postgres') === null)(
  'a migration by a database user that does not own the tables fails with an error that explains the cause',
  async () => {
    const postgres = inject('postgres')
    if (postgres === null) throw new Error('Expected a PostgreSQL server to test on.')
    const url = new URL(await createPostgresUrl(postgres))
    await sql`drop role if exists "plumbline_no_owner"`.execute(db())
    await sql`create role "plumbline_no_owner" login password 'secret'`.execute(db())
    onTestFinished(async () => void (await sql`drop role "plumbline_no_owner"`.execute(db())))
    Object.assign(url, { username: 'plumbline_no_owner', password: 'secret' })
    const database = await openDatabase({ databaseUrl: url.href, databaseConnections: 11, dataDir: '' })
    try {
      await expect(migrate(database)).rejects.toThrow(DatabaseUnavailableError)
      await expect(migrate(database)).rejects.toThrow(/^The user of DATABASE_URL cannot .* the owner of the database/)
    } finally {
      await database.close()
    }
  },
)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { putMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { type Builder, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { vendorOperations } from '../../domain/vendors/vendors/operations.ts'
import { operations } from '../../interfaces/operations.ts'
import type { Call } from '../calls/call.ts'
import { type Database, type Db, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

let plumbline: TestPlumbline
let other: Builder

/** A service in which the queries for vendors omit the condition on the organization. */
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: { ...operations, ...forgetful(vendorOperations) } })
  other = await plumbline.newBuilder()
})
afterAll(() => plumbline.stop())

const CONDITION = 't."organizationId" = $1'
let forgotten = 0

function without(db: Db): Db {
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'executeQuery') return typeof member === 'function' ? member.bind(target) : member
      return (query: CompiledQuery) => {
        if (query.sql.includes(CONDITION)) forgotten++
        return target.executeQuery({ ...query, sql: query.sql.replaceAll(CONDITION, '$1::text is not null') })
      }
    },
  })
}

function forgetful<Handlers extends object>(handlers: Handlers): Handlers {
  const entries = Object.entries(handlers).map(([id, handle]) => [
    id,
    (input: object, call: Call) => {
      const write: Call['write'] = (work) => call.write((inner) => work({ ...inner, db: without(inner.db) }))
      return handle(input, { ...call, db: without(call.db), write })
    },
  ])
  return Object.fromEntries(entries) as Handlers
}

async function newVendor(builder: { key: string }): Promise<string> {
  const input = { companyName: 'Brazos Framing', scopes: ['framing'] }
  const { status, body } = await plumbline.post('/api/ext/vendors', input, { key: builder.key })
  expect(status).toBe(201)
  return body.id
}

async function listed(builder: { key: string }): Promise<string[]> {
  const { status, body } = await plumbline.get('/api/ext/vendors?limit=200', { key: builder.key })
  expect(status).toBe(200)
  return body.data.map((vendor: { id: string }) => vendor.id)
}

// Citus does not execute these statements: it rejects them before it applies a policy.
describe.skipIf(inject('citus'))("a query without its organization's condition", () => {
  test("row-level security limits a query without an organization condition to one builder's vendors", async () => {
    const [ours, theirs] = [await newVendor(plumbline), await newVendor(other)]
    const before = forgotten
    expect(await listed(plumbline)).toEqual([ours])
    expect(await listed(other)).toEqual([theirs])
    expect(forgotten - before).toBe(2)
    const role = plumbline.database.narrowRole
    expect(role).toMatch(/_one_organization$/)
    plumbline.database.narrowTo(null)
    expect((await listed(plumbline)).sort()).toEqual([ours, theirs].sort())
    plumbline.database.narrowTo(role)
    expect(await listed(plumbline)).toEqual([ours])
  })

  test("a query without an organization condition cannot find, change, or archive another builder's record", async () => {
    const theirs = await newVendor(other)
    const path = `/api/ext/vendors/${theirs}`
    const before = forgotten
    expect((await plumbline.get(path)).status).toBe(404)
    expect((await plumbline.patch(path, { companyName: 'Another' })).status).toBe(404)
    expect((await plumbline.delete(path)).status).toBe(404)
    expect(forgotten - before).toBe(3)
    const { body } = await plumbline.get(path, { key: other.key })
    expect(body).toMatchObject({ companyName: 'Brazos Framing', archivedAt: null })
  })
})

describe('access for one organization', () => {
  test("database access for one organization cannot write another organization's rows", async () => {
    const ours = plumbline.database.of(plumbline.organizationId)
    const row = {
      ...{ id: 'sch_01', resourceId: 'ven_01', from: null, to: 'active', by: '{}', reason: null },
      at: new Date(),
    }
    const insert = (db: Db) =>
      db
        .insertInto('statusChanges')
        .values({ ...row, organizationId: other.organizationId })
        .execute()
    await expect(insert(ours.statements)).rejects.toMatchObject({ code: '42501' })
    await expect(ours.transaction(insert)).rejects.toMatchObject({ code: '42501' })
    const moved = ours.statements.updateTable('users').set({ organizationId: other.organizationId }).execute()
    // Citus moves no row to another organization, regardless of policies.
    await expect(moved).rejects.toMatchObject({ code: inject('citus') ? '0A000' : '42501' })
  })

  test('database access for one organization cannot read another organization or the encryption key', async () => {
    const { statements } = plumbline.database.of(plumbline.organizationId)
    const seen = await statements.selectFrom('organizations').select('id').execute()
    expect(seen).toEqual([{ id: plumbline.organizationId }])
    await expect(statements.selectFrom('deployment').selectAll().execute()).rejects.toMatchObject({ code: '42501' })
    expect(await plumbline.database.statements.selectFrom('organizations').select('id').execute()).toHaveLength(2)
  })

  test('database access without an organization returns no rows', async () => {
    const { narrowRole, transaction } = plumbline.database
    const rows = await transaction(async (trx) => {
      await sql`set local role ${sql.id(narrowRole ?? '')}`.execute(trx)
      return trx.selectFrom('users').select('id').execute()
    })
    expect(rows).toEqual([])
    expect(await plumbline.database.of('').statements.selectFrom('users').select('id').execute()).toEqual([])
  })

  test('concurrent database access for many organizations returns only the rows of each organization', async () => {
    const builders = [plumbline, other, ...(await Promise.all(Array.from({ length: 4 }, () => plumbline.newBuilder())))]
    const ask = async ({ organizationId }: { organizationId: string }, n: number) => {
      const { statements, transaction } = plumbline.database.of(organizationId)
      if (n % 7 === 0) {
        await expect(sql`select 1 / (count(*) - count(*)) from "users"`.execute(statements)).rejects.toThrow('zero')
        return
      }
      if (n % 11 === 0) await expect(transaction((trx) => sql`select 1 / 0`.execute(trx))).rejects.toThrow('zero')
      const read = (db: Db) => db.selectFrom('users').select('organizationId').execute()
      const rows = n % 5 === 0 ? await transaction(read) : await read(statements)
      expect(new Set(rows.map((row) => row.organizationId))).toEqual(new Set([organizationId]))
    }
    // Requests of the organizations alternate, are in random order, and are in groups. These orders cover all three
    // ways of setting the organization.
    const turns = Array.from({ length: 72 }, (_, n) => n % builders.length)
    const random = turns.map(() => Math.floor(Math.random() * builders.length))
    const runs = turns.map((_, n) => Math.floor(n / 12))
    for (const order of [turns, random, runs]) {
      await Promise.all(order.map((which, n) => ask(builders[which] ?? other, n)))
    }
  })
})

// On Citus, the policies are not restrictive. The isolation check compares them.
test.skipIf(inject('citus'))(
  'every table with an organization gets row-level security at the next startup',
  async () => {
    const { database } = plumbline
    await sql`create table "newThings" ("organizationId" text collate "C" not null, "id" text)`.execute(
      database.sessions,
    )
    await sql`insert into "newThings" values (${other.organizationId}, 'thing')`.execute(database.sessions)
    const inFront = sql<{ table: string }>`
    select c.table_name as "table" from information_schema.columns c
    where c.table_schema = 'public' and c.column_name = 'organizationId' and not exists (
      select from pg_policies p where p.schemaname = 'public' and p.tablename = c.table_name
        and p.permissive = 'RESTRICTIVE' and p.roles = array[${database.narrowRole}::name] and p.cmd = 'ALL')
    order by 1`
    expect((await inFront.execute(database.statements)).rows).toEqual([{ table: 'newThings' }])
    await migrate(database)
    expect((await inFront.execute(database.statements)).rows).toEqual([])
    const things = sql`select * from "newThings"`
    expect((await things.execute(database.of(plumbline.organizationId).statements)).rows).toEqual([])
    expect((await things.execute(database.of(other.organizationId).statements)).rows).toHaveLength(1)
    await sql`drop table "newThings"`.execute(database.sessions)
  },
)

/**
 * Indexes that only enforce uniqueness, that have few rows per organization, that are only for sorting by a function of
 * a column, or that are only searched across organizations (without row-level security).
 */
const NOT_SEARCHED = [
  'scopes_name_key',
  'users_email_key',
  'purchaseOrders_sequence',
  'vendors_mailKeys',
  'homeOwners_address',
]

// With row-level security, PostgreSQL searches an index only with leakproof operators. The leakproof operators compare
// texts, numbers without decimals, dates, and timestamps. The operators for decimals, JSON, arrays, and functions of a
// column (except coalesce) are not leakproof. With any other operator, PostgreSQL reads the index from its beginning.
test('every index of a tenant table uses only operators that work with row-level security', async () => {
  const { rows } = await sql<{ index: string }>`
    select c.relname as "index" from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid and t.relrowsecurity
    where exists (
        select from pg_opclass o
        join pg_amop a on a.amopfamily = o.opcfamily and a.amoplefttype = o.opcintype and a.amoprighttype = o.opcintype
        join pg_operator op on op.oid = a.amopopr join pg_proc f on f.oid = op.oprcode
        where o.oid = any(i.indclass) and not f.proleakproof)
      or i.indexprs is not null and pg_get_expr(i.indexprs, i.indrelid) !~ '^COALESCE\\('
    order by 1`.execute(plumbline.database.statements)
  expect(rows.map(({ index }) => index).filter((index) => !NOT_SEARCHED.includes(index))).toEqual([])
})

describe.skipIf(inject('postgres') === null)('on PostgreSQL', () => {
  /**
   * Starts a service as a new user of a new database. The options determine what the administrator prepares before the
   * first start.
   */
  async function startAs(
    options: string,
    prepare: (admin: pg.Client, user: string) => Promise<unknown> = async () => {},
  ) {
    const server = inject('postgres')
    if (server === null) throw new Error('There is no PostgreSQL.')
    const url = new URL(await createPostgresUrl({ ...server, templateName: 'template1' }))
    const name = url.pathname.slice(1)
    const admin = new pg.Client(server.adminUrl)
    await admin.connect()
    await admin.query(`create role "${name}" login ${options}`)
    await admin.query(`alter database "${name}" owner to "${name}"`)
    await prepare(admin, name)
    await admin.end()
    url.username = name
    const database = await openDatabase({ databaseUrl: url.href, databaseConnections: 18, dataDir: '' })
    const log: string[] = []
    const service = await startTestPlumbline(
      {},
      {
        database,
        log: pino({ level: 'warn' }, { write: (line: string) => log.push(JSON.parse(line).msg) }),
        handlers: { ...operations, ...forgetful(vendorOperations) },
      },
    )
    return { service, log }
  }

  async function vendorsSeen(service: TestPlumbline): Promise<number> {
    const stranger = await service.newBuilder()
    for (const key of [service.key, stranger.key]) {
      const input = { companyName: 'Brazos Framing', scopes: ['framing'] }
      expect((await service.post('/api/ext/vendors', input, { key })).status).toBe(201)
    }
    return (await service.get('/api/ext/vendors')).body.data.length
  }

  test('row-level security needs no setup if the database user can create roles', async () => {
    const { service, log } = await startAs('createrole')
    expect(await vendorsSeen(service)).toBe(1)
    expect(log).toEqual([])
    await service.stop()
  })

  test('a database user without the right to create roles uses the role that an administrator created', async () => {
    const { service, log } = await startAs('', async (admin, user) => {
      await admin.query(`create role "${user}_one_organization" nologin`)
      await admin.query(`grant "${user}_one_organization" to "${user}"`)
    })
    expect(await vendorsSeen(service)).toBe(1)
    expect(log).toEqual([])
    await service.stop()
  })

  test('the service warns at startup if row-level security is off', async () => {
    const { service, log } = await startAs('')
    expect(service.database.narrowRole).toBeNull()
    expect(await vendorsSeen(service)).toBe(2)
    expect(log).toEqual([expect.stringMatching(/^Row-level security is off/)])
    await service.stop()
  })

  test('a database connection is closed if its organization cannot be set', async () => {
    const unsayable: Database['of'] = () => plumbline.database.of('\0')
    const failing = await Promise.allSettled(
      Array.from({ length: 60 }, () => unsayable('').statements.executeQuery(CompiledQuery.raw('select 1 as "one"'))),
    )
    expect(failing.every(({ status }) => status === 'rejected')).toBe(true)
    expect((await plumbline.get('/api/ext/vendors?limit=1')).status).toBe(200)
  })
})

test.skipIf(inject('pgliteTemplate') === null)(
  'row-level security is on for an embedded database in a folder',
  async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-wall-'))
    putMigratedDatabase(dataDir)
    const database = await openDatabase({ databaseUrl: null, databaseConnections: 11, dataDir })
    try {
      await migrate(database)
      expect(database.narrowRole).toMatch(/_one_organization$/)
    } finally {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

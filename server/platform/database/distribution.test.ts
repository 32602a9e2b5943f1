import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import type { Tables } from './database.ts'
import {
  canEnforceForeignKey,
  FILES_USING_CTID,
  listDistributionCommands,
  MIGRATOR_TABLES,
  OBSOLETE_FUNCTIONS,
  PLACEMENT_BY_TABLE,
} from './distribution.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function asked<Row>(text: string): Promise<Row[]> {
  return (await plumbline.database.statements.executeQuery(CompiledQuery.raw(text))).rows as Row[]
}

const columnOf = (table: string): string | null => {
  const place = PLACEMENT_BY_TABLE[table as keyof Tables]
  return place !== undefined && 'by' in place ? place.by : null
}
const DISTRIBUTED = Object.keys(PLACEMENT_BY_TABLE).filter((table) => columnOf(table) !== null)

const OURS = `c."relnamespace" = current_schema()::regnamespace`
const columnsAt = (relation: string, numbers: string) => `array(
  select a."attname"::text from unnest(${numbers}) with ordinality as p ("number", "place")
  join "pg_attribute" a on a."attrelid" = ${relation} and a."attnum" = p."number" order by p."place")`

test('every table has a declared placement, and every declared placement belongs to a table', async () => {
  const rows = await asked<{ name: string }>(
    `select c."relname" as "name" from "pg_class" c where ${OURS} and c."relkind" not in ('i', 'I', 'S', 'c', 't')`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual([...Object.keys(PLACEMENT_BY_TABLE), ...MIGRATOR_TABLES].sort())
})

test('every unique index of a distributed table includes the organization', async () => {
  const unique = await asked<{ table: string; name: string; columns: string[]; isPrimary: boolean }>(`
    select c."relname" as "table", x."indexrelid"::regclass::text as "name", x."indisprimary" as "isPrimary",
      ${columnsAt('c."oid"', 'x."indkey"::int2[]')} as "columns"
    from "pg_index" x join "pg_class" c on c."oid" = x."indrelid" where ${OURS} and x."indisunique"`)
  const without = unique.filter(({ table, columns }) => {
    const column = columnOf(table)
    return column !== null && !columns.includes(column)
  })
  expect(without).toEqual([])
  const withKey = new Set(unique.flatMap(({ table, isPrimary }) => (isPrimary ? [table] : [])))
  expect(DISTRIBUTED.filter((table) => !withKey.has(table))).toEqual([])

  const columns = await asked<{ table: string; name: string; type: string; collation: string; sequence: boolean }>(`
    select c."relname" as "table", a."attname" as "name", format_type(a."atttypid", null) as "type",
      a."attcollation"::regcollation::text as "collation", a."attidentity" <> '' as "sequence"
    from "pg_attribute" a join "pg_class" c on c."oid" = a."attrelid" where ${OURS} and a."attnum" > 0 and not a."attisdropped"`)
  const kinds = columns.filter(({ table, name }) => name === columnOf(table))
  expect(kinds).toHaveLength(DISTRIBUTED.length)
  expect(new Set(kinds.map(({ type, collation }) => `${type} ${collation}`)).size).toBe(1)
  // The nodes divide the values of a sequence among each other. The ranges of smaller types are too small for this.
  expect(columns.filter(({ sequence, type }) => sequence && type !== 'bigint')).toEqual([])
})

test('foreign keys between distributed tables stay within one organization', async () => {
  const keys = await asked<{
    table: keyof Tables
    to: keyof Tables
    columns: string[]
    referred: string[]
    actions: string
  }>(`
    select c."relname" as "table", f."relname" as "to", k."confupdtype"::text || k."confdeltype"::text as "actions",
      ${columnsAt('k."conrelid"', 'k."conkey"')} as "columns", ${columnsAt('k."confrelid"', 'k."confkey"')} as "referred"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid" join "pg_class" f on f."oid" = k."confrelid"
    where ${OURS} and k."contype" = 'f'`)
  const astray = keys.filter(({ table, to, columns, referred }) => {
    const column = columnOf(table)
    return column !== null && columnOf(to) !== null && referred[columns.indexOf(column)] !== columnOf(to)
  })
  expect(astray).toEqual([])
  // If a referenced record is updated or deleted, the foreign key must not change other rows or be set to null.
  expect(keys.filter(({ actions }) => !['aa', 'ac', 'ar'].includes(actions))).toEqual([])
  const lost = keys.filter((key) => !canEnforceForeignKey(key)).map(({ table, to }) => `${table} → ${to}`)
  expect(lost.sort()).toEqual([
    'apiKeySecrets → apiKeys',
    'calendarAddresses → calendarFeeds',
    'oauthTokens → oauthGrants',
    'ownerLinks → homeOwners',
    'portalAddresses → vendors',
  ])
})

test('every trigger for inserted, changed, or deleted rows fires for each row', async () => {
  // The nodes fire no triggers for a statement. In tgtype, bit 1 stands for each row, and bits 4, 8, and 16 for the
  // insertion, deletion, and change of rows.
  const triggers = await asked<{ name: string }>(`
    select t."tgname" as "name" from "pg_trigger" t join "pg_class" c on c."oid" = t."tgrelid"
    where ${OURS} and not t."tgisinternal" and t."tgtype" & 1 = 0 and t."tgtype" & (4 | 8 | 16) <> 0`)
  expect(triggers).toEqual([])
})

test('no trigger uses transition tables, and no SQL function except "tellAtOf" reads tables', async () => {
  const triggers = await asked<{ name: string }>(`
    select t."tgname" as "name" from "pg_trigger" t join "pg_class" c on c."oid" = t."tgrelid"
    where ${OURS} and (t."tgnewtable" is not null or t."tgoldtable" is not null)`)
  expect(triggers).toEqual([])
  const functions = await asked<{ name: string }>(`
    select quote_ident(p."proname") || '(' || oidvectortypes(p."proargtypes") || ')' as "name"
    from "pg_proc" p join "pg_language" l on l."oid" = p."prolang"
    where p."pronamespace" = current_schema()::regnamespace and l."lanname" = 'sql' and p."prosrc" ~ 'from "'`)
  expect(functions.map(({ name }) => name)).toEqual(['"tellAtOf"(tasks)'])
})

test('database triggers use only distributed tables', async () => {
  const triggers = await asked<{ table: string; name: string; body: string }>(`
    select c."relname" as "table", p."proname" as "name", p."prosrc" as "body"
    from "pg_trigger" t join "pg_class" c on c."oid" = t."tgrelid" join "pg_proc" p on p."oid" = t."tgfoid"
    where ${OURS} and not t."tgisinternal"`)
  expect(triggers.length).toBeGreaterThan(30)
  const elsewhere = triggers.filter(({ table, body }) =>
    [table, ...[...body.matchAll(/\b(?:into|from|update|join)\s+"(\w+)"/g)].map(([, name = '']) => name)].some(
      (name) => name !== 'inserted' && columnOf(name) === null,
    ),
  )
  expect(elsewhere.map(({ table, name }) => `${table}: ${name}`)).toEqual([])

  const functions = await asked<{ name: string }>(`
    select distinct quote_ident(p."proname") || '(' || pg_get_function_identity_arguments(p."oid") || ')' as "name"
    from "pg_proc" p, unnest(p."proargtypes"::oid[]) as a ("type") join "pg_type" t on t."oid" = a."type"
    where p."pronamespace" = current_schema()::regnamespace and t."typtype" = 'c'`)
  const withoutNames = functions.map(({ name }) => name.replaceAll(/\(\w+ "?(\w+)"?\)/g, '("$1")'))
  expect(withoutNames).toEqual(OBSOLETE_FUNCTIONS)
})

const SERVER = path.resolve(import.meta.dirname, '../..')
const SOURCES = globSync('**/*.ts', { cwd: SERVER })
  .filter((file) => !/\.test\.ts$|\.gen\.ts$|^platform\/database\/migrations\//.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SERVER, file), 'utf8') }))

/** Files whose statements determine their table at run time, with the reason why this is safe. */
const NAMED_LATER: Readonly<Record<string, string>> = {
  'operators/move/target.ts': 'its table is there during a move only, and belongs to no organization',
  'platform/keys/delete-old-identities.ts': 'its tables are the coordinator’s',
  'platform/resources/resource.ts': 'it is the name of a statement, which names the organization',
}

test('every statement that changes or deletes rows of a distributed table names the organization', () => {
  const unnamed = SOURCES.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:\b(?:update|delete from)\s+(?:"(\w+)"|\$\{)|\.(?:updateTable|deleteFrom)\(\s*'(\w+))/g)]
      .filter(([, one, other]) => {
        const table = one ?? other
        return table === undefined ? !(file in NAMED_LATER) : columnOf(table) !== null
      })
      .filter(({ index, 1: one, 2: other }) => {
        const end = /\.execute|`\)|`,\n|\n\}/.exec(text.slice(index))?.index ?? 1000
        const statement = text.slice(index, index + end)
        return !statement.includes(columnOf(one ?? other ?? '') ?? 'organizationId')
      })
      .map(({ 0: begin, index }) => `${file}:${text.slice(0, index).split('\n').length} ${begin}`),
  )
  expect(unnamed).toEqual([])
})

const LOCKS = /\bfor (?:no key )?update\b|\bfor key share\b|\.forUpdate\(|\.forNoKeyUpdate\(/g

/** Files that lock only rows of tables on the coordinator. */
const LOCK_ON_COORDINATOR = new Set([
  'platform/database/delete-ended-limit-windows.ts',
  'interfaces/oauth/oauth-tokens.ts',
])

test('statements that lock rows name the organization', () => {
  const unnamed = SOURCES.filter(({ file }) => !LOCK_ON_COORDINATOR.has(file)).flatMap(({ file, text }) =>
    [...text.matchAll(LOCKS)]
      .filter(({ index }) => {
        const before = text.slice(0, index)
        // This lock clause is inserted into a statement that another file checks.
        if (before.endsWith('sql`')) return false
        const start = Math.max(...['sql`', 'sql<', '.selectFrom(', '`select'].map((begin) => before.lastIndexOf(begin)))
        return !/organizationId|organizations['"]\)?\s.*["']id["']/s.test(before.slice(start))
      })
      .map(({ 0: lock, index }) => `${file}:${text.slice(0, index).split('\n').length} ${lock}`),
  )
  expect(unnamed).toEqual([])
})

test('ctid is used only in files that are listed with a reason', () => {
  expect(
    SOURCES.filter(({ text }) => /\bctid\b/.test(text))
      .map(({ file }) => file)
      .sort(),
  ).toEqual(Object.keys(FILES_USING_CTID))
})

test('the distribution commands run without errors against stand-ins for the functions of the database extension', async () => {
  const { database } = plumbline
  const commands = await listDistributionCommands(database.statements)
  const countKeys = sql<{ count: number }>`
    select count(*)::int as "count" from "pg_constraint" where "contype" = 'f'
      and "connamespace" = current_schema()::regnamespace`
  const before = (await countKeys.execute(database.statements)).rows[0]?.count ?? 0
  expect(commands.filter((command) => command.includes('create_distributed_table'))).toHaveLength(DISTRIBUTED.length)
  await expect(
    database.transaction(async (trx) => {
      await sql`
        create function "create_distributed_table"("inTable" regclass, "inColumn" text, "colocate_with" text) returns void
        language plpgsql as $$
        begin
          if not exists (select from "pg_attribute" where "attrelid" = "inTable" and "attname" = "inColumn") then
            raise exception '% has no %', "inTable", "inColumn";
          end if;
          if "colocate_with" <> 'none' then perform "colocate_with"::regclass; end if;
        end $$`.execute(trx)
      await sql`create function "create_reference_table"("inTable" regclass) returns void language sql as ''`.execute(
        trx,
      )
      await sql`
        create function "truncate_local_data_after_distributing_table"("inTable" regclass) returns void
        language sql as ''`.execute(trx)
      for (const command of commands) await trx.executeQuery(CompiledQuery.raw(command))
      const { rows } = await countKeys.execute(trx)
      const [added, dropped] = [' add constraint ', ' drop constraint '].map(
        (part) => commands.filter((command) => command.includes(part)).length,
      )
      expect(rows[0]?.count).toBe(before + Number(added) - Number(dropped))
      throw new Error('All of them ran, and are undone.')
    }),
  ).rejects.toThrow('All of them ran')
})

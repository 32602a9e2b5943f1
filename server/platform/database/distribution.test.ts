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

test('every table has a declared place, and no other name does', async () => {
  const rows = await asked<{ name: string }>(
    `select c."relname" as "name" from "pg_class" c where ${OURS} and c."relkind" not in ('i', 'I', 'S', 'c', 't')`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual([...Object.keys(PLACEMENT_BY_TABLE), ...MIGRATOR_TABLES].sort())
})

test('unique indexes of a distributed table include the organization, whose column has the same type everywhere', async () => {
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
  // The nodes divide the numbers of a sequence among themselves, which leaves too few for smaller types.
  expect(columns.filter(({ sequence, type }) => sequence && type !== 'bigint')).toEqual([])
})

test('foreign keys between distributed tables stay within an organization, and the impossible ones are listed', async () => {
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
  // A key must neither change, nor be set to null when its record is deleted.
  expect(keys.filter(({ actions }) => !['aa', 'ac', 'ar'].includes(actions))).toEqual([])
  const lost = keys.filter((key) => !canEnforceForeignKey(key)).map(({ table, to }) => `${table} → ${to}`)
  expect(lost.sort()).toEqual([
    'apiKeySecrets → apiKeys',
    'calendarAddresses → calendarFeeds',
    'oauthTokens → oauthGrants',
    'portalAddresses → vendors',
  ])
})

test('triggers exist only on distributed tables and affect no others, and no function takes a whole row', async () => {
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

/** Files whose statements name their table at run time, and why that is safe. */
const NAMED_LATER: Readonly<Record<string, string>> = {
  'operators/move/target.ts': 'its table is there during a move only, and belongs to no organization',
  'platform/keys/delete-old-identities.ts': 'its tables are the coordinator’s',
  'platform/resources/resource.ts': 'it is the name of a statement, which names the organization',
}

test('statements that change or delete rows of a distributed table name the organization', () => {
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

test('no row is identified by its place on the disk, except where there is one disk', () => {
  expect(
    SOURCES.filter(({ text }) => /\bctid\b/.test(text))
      .map(({ file }) => file)
      .sort(),
  ).toEqual(Object.keys(FILES_USING_CTID))
})

test("the commands run, with stand-ins for the engine's own functions", async () => {
  const { database } = plumbline
  const commands = await listDistributionCommands(database.statements)
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
      for (const command of commands) await trx.executeQuery(CompiledQuery.raw(command))
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as "count" from "pg_constraint" where "contype" = 'f'
          and "connamespace" = current_schema()::regnamespace`.execute(trx)
      expect(rows[0]?.count).toBe(commands.filter((command) => command.includes(' add constraint ')).length)
      throw new Error('All of them ran, and are undone.')
    }),
  ).rejects.toThrow('All of them ran')
})

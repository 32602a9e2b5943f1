/**
 * Generates all files that are derived from the contract and the migrations. The files from the contract are JSON for
 * the server, types, the statuses and titles of problems, the changelog, the verifier for browsers, and the
 * documentation's design tokens. The files from the migrations contain the types of the database. `--check` writes
 * nothing and fails if a file is stale. `--contract` skips the files from the migrations, which require a database.
 *
 *   npm run generate            npm run generate -- --check
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleContract } from '../contract/bundle.ts'
import { renderScenarioTable } from '../mock/scenarios.ts'
import { hashContractSource, readContract } from '../server/platform/calls/contract.ts'
import type { Database } from '../server/platform/database/database.ts'
import { generateCheckedTypes } from './checked-types.ts'
import { describeReferences } from './describe-references.ts'
import { generateEnumValues } from './enum-values.ts'
import { generateChangelog } from './generate-changelog.ts'
import { generatePageActions } from './page-actions.ts'
import { generateProblemTypes } from './problem-types.ts'
import { generatePermissionLabels, generateRecordDeclarations, generateRolePermissions } from './record-declarations.ts'
import { generateRecordKinds } from './record-kinds.ts'
import { generateSkillTypes } from './skill-types.ts'

const root = path.resolve(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')
const staleFiles: string[] = []

const document = bundleContract()
putFile('server/contract.gen.json', toOneEntryPerLine({ sourceHash: hashContractSource(), document }))
generateContractTypes()
putFile('CHANGELOG.md', generateChangelog(document))
putFile('client/skills.gen.ts', generateSkillTypes(document))
putFile('client/problems.gen.ts', generateProblemTypes(document))
putFile('client/enums.gen.ts', generateEnumValues(document))
putFile('server/platform/resources/kinds.gen.ts', generateRecordKinds(document))
putFile('server/platform/calls/records.gen.ts', generateRecordDeclarations(document))
putFile('server/platform/keys/permissions.gen.ts', generateRolePermissions(document))
putFile('web/admin/settings/permissions.gen.ts', generatePermissionLabels(document))
putFile('web/admin/actions/actions.gen.ts', generatePageActions(document))
putFile('server/platform/calls/checked.gen.ts', generateCheckedTypes(document))
putFile('mock/scenarios.gen.md', renderScenarioTable(readContract(document)))
generateProblemTitles()
generateBrowserVerifier()
// Copies the glossary, because the service publishes it but is installed without the folder docs.
putFile('server/interfaces/docs/glossary.gen.md', readFileSync(path.join(root, 'docs/glossary.md'), 'utf8'))
// Copies the design tokens, because the documentation uses them but is served without the sources of the admin area.
putFile('server/interfaces/docs/tokens.gen.css', readFileSync(path.join(root, 'web/styles/tokens.css'), 'utf8'))
if (!process.argv.includes('--contract')) await generateTableTypes()
if (!isCheck) await compileContract()

if (staleFiles.length > 0) {
  console.error(`Stale: ${staleFiles.join(', ')}. Run "npm run generate" and commit the generated files.`)
  process.exit(1)
}
process.exit(0)

function putFile(file: string, content: string): void {
  const target = path.join(root, file)
  if (existsSync(target) && readFileSync(target, 'utf8') === content) return
  if (isCheck) staleFiles.push(file)
  else writeFileSync(target, content)
}

/** Writes each operation, event, or component on a line of its own, so that changing one of them changes one line. */
function toOneEntryPerLine(value: object, depth = 3): string {
  const entries = Object.entries(value).map(([key, each]: [string, unknown]) => {
    const isOpen = depth > 0 && typeof each === 'object' && each !== null && !Array.isArray(each)
    return `${JSON.stringify(key)}:${isOpen ? toOneEntryPerLine(each, depth - 1).trimEnd() : JSON.stringify(each)}`
  })
  return `{\n${entries.join(',\n')}\n}\n`
}

/**
 * Replaces the schema AnyRow in types. The service accepts any object as a row, so that an invalid row does not cause
 * the others to be rejected. TypeScript code should get an error for an invalid row when it is compiled.
 */
function omitRowSchemas(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('anyOf' in value) || !Array.isArray(value.anyOf)) return value
  const [row, any, ...more] = value.anyOf as { $ref?: string }[]
  return any?.$ref === '#/components/schemas/AnyRow' && more.length === 0 ? row : value
}

function generateContractTypes(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-types-'))
  const [source, out] = [path.join(folder, 'contract.json'), path.join(folder, 'contract.ts')]
  writeFileSync(source, JSON.stringify(describeReferences(document), omitRowSchemas))
  const cli = ['node_modules', 'scripts/codegen/node_modules']
    .map((modules) => path.join(root, modules, 'openapi-typescript/bin/cli.js'))
    .find(existsSync)
  if (cli === undefined) throw new Error('openapi-typescript is not installed; run npm ci.')
  execFileSync(
    process.execPath,
    [cli, source, '-o', out, '--default-non-nullable=false', '--root-types', '--root-types-no-schema-prefix'],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  ) // In this folder, redocly.yaml does not apply, because its rules are only for linting.
  putFile('client/contract.gen.ts', readFileSync(out, 'utf8'))
  rmSync(folder, { recursive: true })
}

function generateProblemTitles(): void {
  const examples = document.components.examples as Record<string, { value?: ProblemExample }>
  const lines = Object.entries(examples).flatMap(([name, { value }]) =>
    name.startsWith('Problem_') && value !== undefined
      ? [`  ${value.code}: [${value.status}, ${JSON.stringify(value.title)}],\n`]
      : [],
  )
  putFile('server/platform/problems/problems.gen.ts', `export const problems = {\n${lines.join('')}} as const\n`)
}
interface ProblemExample {
  code: string
  status: number
  title: string
}

// Converts the client's verifier to JavaScript, because the documentation verifies signatures in the browser with the
// same code.
function generateBrowserVerifier(): void {
  const source = readFileSync(path.join(root, 'client/webhooks.ts'), 'utf8')
  putFile('server/interfaces/docs/verify-webhook.gen.js', stripTypeScriptTypes(source))
}

async function generateTableTypes(): Promise<void> {
  const { PGlite } = await import('@electric-sql/pglite')
  const { generate, getDialect } = await import('kysely-codegen')
  const { createEmbeddedDatabase } = await import('../server/platform/database/database.ts')
  const { migrate } = await import('../server/platform/database/migrate.ts')
  const database = await createEmbeddedDatabase(await PGlite.create())
  await migrate(database)
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-tables-'))
  const outFile = path.join(folder, 'tables.ts')
  await generate({
    db: database.statements as unknown as Parameters<typeof generate>[0]['db'],
    dialect: getDialect('postgres', { dateParser: 'string', numericParser: 'number' }),
    outFile,
    excludePattern: 'kysely_*',
  })
  // The connections return timestamps and bigints in the form of JSON (see server/platform/database/wire-types.ts).
  const types = readFileSync(outFile, 'utf8')
    .replace(/export type Timestamp = .*;/, 'export type Timestamp = ColumnType<string, Date | string, Date | string>;')
    .replace(
      /export type Int8 = .*;/,
      'export type Int8 = ColumnType<number, bigint | number | string, bigint | number | string>;',
    )
    .replace(/export type Numeric = .*;/, 'export type Numeric = ColumnType<number, number | string, number | string>;')
  putFile('server/platform/database/tables.gen.ts', types)
  putFile('server/platform/database/columns.gen.ts', await writeColumnTypes(database))
  rmSync(folder, { recursive: true })
  await database.close()
}

// Generates the types of columns where tables.gen.ts is too general: it does not distinguish between a date and a text,
// a decimal and an integer, or an ID and a text from a caller. A column is an ID if it is the key of its row or a
// foreign key. It then contains only values from the service.
async function writeColumnTypes(database: Database): Promise<string> {
  const { sql } = await import('kysely')
  const { rows } = await sql<{ table: string; column: string; type: string; isNullable: boolean; isId: boolean }>`
    select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as "type",
      not a.attnotnull as "isNullable",
      exists (
        select from pg_constraint k where k.conrelid = c.oid and a.attnum = any (k.conkey) and (
          (k.contype = 'p' and a.attname = 'id')
          or (k.contype = 'f' and exists (
            select from pg_attribute there where there.attrelid = k.confrelid and there.attname = 'id'
              and there.attnum = k.confkey[array_position(k.conkey, a.attnum)])))
      ) as "isId"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname not like 'kysely%'
    order by c.relname collate "C", a.attnum`.execute(database.statements)
  const tables = [...Map.groupBy(rows, ({ table }) => table)].map(([table, columns]) => {
    const lines = columns.map(({ column, type, isNullable, isId }) => {
      const plain = type.replace('timestamp with time zone', 'timestamptz').replace('jsonb', 'json')
      return `    ${column}: '${isId && plain === 'text' ? 'id' : plain}${isNullable ? '?' : ''}',\n`
    })
    return `  ${table}: {\n${lines.join('')}  },\n`
  })
  return [
    '/** The kind of value in each column of the tables. Generated from the migrated database by `npm run generate`. */\n',
    `export const columns = {\n${tables.join('')}} as const\n`,
    '\n/** The columns of which one index alone has the rows with one value side by side, in the order of their ids. */\n',
    `export const indexed: Readonly<Record<string, readonly string[]>> = {\n${await writeIndexedColumns(database)}}\n`,
  ].join('')
}

// Generates the list of columns that have an index which returns the rows with a given value in the order of their IDs.
// A unique index also qualifies, because it returns at most one row. The column must have no other index, because the
// planner might use that one and sort the rows.
async function writeIndexedColumns(database: Database): Promise<string> {
  const { sql } = await import('kysely')
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select c.relname as "table", array_agg(distinct a.attname::text order by a.attname::text) as "columns"
    from pg_index i
      join pg_class c on c.oid = i.indrelid
      cross join lateral (
        select array_agg(pg_get_indexdef(i.indexrelid, n, true) order by n) as "names"
        from generate_series(1, i.indnkeyatts) as n
      ) as keys
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[1]
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and "names"[1] = '"organizationId"' and a.attname <> 'id'
      and (i.indnkeyatts = 3 and "names"[3] = 'id' or i.indnkeyatts = 2 and i.indisunique)
      and (i.indpred is null or pg_get_expr(i.indpred, c.oid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)')
      and not exists (
        select from pg_index other where other.indrelid = c.oid and other.indexrelid <> i.indexrelid and a.attnum = any(other.indkey))
    group by c.relname order by c.relname collate "C"`.execute(database.statements)
  return rows
    .map(({ table, columns }) => `  ${table}: [${columns.map((column) => `'${column}'`).join(', ')}],\n`)
    .join('')
}

// Compiles every schema. Otherwise, a schema that cannot be compiled would be noticed only when the first request that
// uses it gets a 500 response.
async function compileContract(): Promise<void> {
  const { loadContract } = await import('../server/platform/calls/contract.ts')
  const { createValidator } = await import('../server/interfaces/http/request-validator.ts')
  await createValidator(loadContract()).compileAll()
}

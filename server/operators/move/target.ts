import { sql } from 'kysely'
import type { Database, Db } from '../../platform/database/database.ts'
import { listAppliedMigrations, migrateMoveTarget } from '../../platform/database/migrate.ts'
import { hasUnfinishedMove, MOVE_MARKER_TABLE } from '../../platform/database/unfinished-move.ts'
import { MoveError } from './move-error.ts'
import type { MovedTable } from './moved-tables.ts'

interface MoveMark {
  source: string
  /**
   * The statements that restore the constraints and triggers that `prepareTarget` removed; null before it has removed
   * them.
   */
  restoring: string[] | null
}

/**
 * Prepares the target: marks it as unfinished, creates the schema, removes its foreign keys, and disables its triggers.
 * Foreign keys would be violated, because tables are copied one by one. The rows that triggers would create are copied
 * too.
 *
 * @param source identifies the embedded database
 * @returns whether this move continues an earlier move
 * @throws {MoveError} unless the database is empty or has an unfinished move from the same source
 */
export async function prepareTarget(target: Database, source: string): Promise<boolean> {
  const db = target.sessions
  const continues = await hasUnfinishedMove(db)
  if (continues) {
    const mark = await readMark(db)
    if (mark.source !== source)
      throw new MoveError(
        'Cannot move into this database: it has an unfinished move from another data folder. Create a new database.',
      )
  } else {
    await assertEmpty(db)
    await db.transaction().execute(async (trx) => {
      await sql`create table ${sql.table(MOVE_MARKER_TABLE)} ("source" text primary key, "restoring" jsonb)`.execute(
        trx,
      )
      await sql`insert into ${sql.table(MOVE_MARKER_TABLE)} ("source") values (${source})`.execute(trx)
    })
  }
  await migrateMoveTarget(target)
  if ((await readMark(db)).restoring === null) await db.transaction().execute(removeConstraints)
  return continues
}

async function assertEmpty(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select "relname" as "name" from "pg_class"
    where "relnamespace" = current_schema()::regnamespace and "relkind" in ('r', 'p', 'v', 'm', 'f') limit 1`.execute(
    db,
  )
  const [found] = rows
  if (found === undefined) return
  throw new MoveError(
    `Cannot move into this database: it is not empty and has a table "${found.name}". Create a new database for the move.`,
  )
}

async function readMark(db: Db): Promise<MoveMark> {
  const { rows } = await sql<MoveMark>`select "source", "restoring" from ${sql.table(MOVE_MARKER_TABLE)}`.execute(db)
  const [mark] = rows
  if (mark === undefined)
    throw new MoveError('The record of the move in the target database is damaged. Create a new database.')
  return mark
}

async function removeConstraints(trx: Db): Promise<void> {
  const { rows: keys } = await sql<{ table: string; name: string; definition: string }>`
    select c."relname" as "table", k."conname" as "name", pg_get_constraintdef(k."oid") as "definition"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid"
    where c."relnamespace" = current_schema()::regnamespace and k."contype" = 'f' and k."conparentid" = 0
    order by c."relname", k."conname"`.execute(trx)
  const { rows: triggers } = await sql<{ table: string }>`
    select distinct c."relname" as "table" from "pg_trigger" t join "pg_class" c on c."oid" = t."tgrelid"
    where c."relnamespace" = current_schema()::regnamespace and not t."tgisinternal"`.execute(trx)
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
  const restoring = [
    ...keys.map(
      ({ table, name, definition }) => `alter table ${quote(table)} add constraint ${quote(name)} ${definition}`,
    ),
    ...triggers.map(({ table }) => `alter table ${quote(table)} enable trigger user`),
  ]
  for (const { table } of triggers) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx)
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(trx)
  await sql`update ${sql.table(MOVE_MARKER_TABLE)} set "restoring" = ${JSON.stringify(restoring)}::jsonb`.execute(trx)
}

/**
 * Checks the schema of both databases.
 *
 * @throws {MoveError} unless both databases have exactly the migrations of this version
 */
export async function assertSameSchema(source: Db, known: readonly string[]): Promise<void> {
  const done = await listAppliedMigrations(source)
  const unknown = [...done].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new MoveError(
      `The data folder has a newer schema (${unknown}) than this version of Plumbline. Use a version that supports this schema.`,
    )
  const missing = known.find((name) => !done.has(name))
  if (missing !== undefined)
    throw new MoveError(
      `The data folder has an older schema than this version (${missing} is missing). Run "migrate" on the data folder first.`,
    )
}

/** Deletes all rows of a table whose copy does not match the source. */
export async function truncateTable(target: Database, { name }: MovedTable): Promise<void> {
  await sql`truncate ${sql.table(name)}`.execute(target.sessions)
}

/** Sets the sequences to the source's values, restores foreign keys and triggers, and removes the mark. */
export async function completeTarget(source: Database, target: Database): Promise<void> {
  const { restoring } = await readMark(target.sessions)
  const { rows: sequences } = await sql<{ name: string }>`
    select "relname" as "name" from "pg_class"
    where "relnamespace" = current_schema()::regnamespace and "relkind" = 'S'`.execute(source.sessions)
  await target.sessions.transaction().execute(async (trx) => {
    for (const { name } of sequences) {
      const { rows } = await sql<{ value: string; isCalled: boolean }>`
        select "last_value"::text as "value", "is_called" as "isCalled" from ${sql.table(name)}`.execute(
        source.sessions,
      )
      for (const { value, isCalled } of rows)
        await sql`select setval(${`"${name}"`}::regclass, ${value}::bigint, ${isCalled})`.execute(trx)
    }
    for (const statement of restoring ?? []) await sql.raw(statement).execute(trx)
    await sql`drop table ${sql.table(MOVE_MARKER_TABLE)}`.execute(trx)
  })
  // Analyzes the tables. Otherwise, statements that are prepared before the first automatic analysis would keep plans
  // for empty tables.
  await sql`analyze`.execute(target.sessions)
}

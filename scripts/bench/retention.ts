import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createOrganization } from '../../server/domain/office/organizations/organizations.ts'
import { deleteOldResponses } from '../../server/interfaces/http/delete-old-responses.ts'
import { startDeletionWorker } from '../../server/operators/retention/delete-expired.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { type Database, openDatabase } from '../../server/platform/database/database.ts'
import { Clock } from '../../server/platform/runtime/clock.ts'
import { type Plumbline, startPlumbline } from '../../server/plumbline.ts'
import { startPostgres } from '../processes/postgres.ts'

/**
 * Measures whether rows are deleted as fast as new rows arrive, on a private PostgreSQL server with fsync: `npm run
 * bench -- retention`. The statement timeout for the jobs is one second, which is a tenth of the service's timeout. A
 * job fails if a statement takes longer.
 */
const MAX_STATEMENT_MS = 1000

const ANSWERS = 1_500_000
const BUILDERS = 10
const MONTHS = 6
/** The number of rows of a builder in a month. */
const ROWS = 2500
const KEPT_DAYS = 365

export async function measureRetention(): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
  if (postgres === null) return []
  const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-retention-'))
  const config = readConfig({
    ...{ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: await postgres.database(), LOG_LEVEL: 'silent' },
    COMPILE_AHEAD: 'false',
    ...{
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATABASE_STATEMENT_TIMEOUT_MS: String(MAX_STATEMENT_MS),
    },
  })
  const plumbline = await startPlumbline({ config, log: pino({ level: 'silent' }), clock: new Clock() })
  // Uses no statement timeout, because filling the tables takes longer than the service allows.
  const filling = await openDatabase({ ...config, databaseStatementTimeoutMs: 0 })
  try {
    const lines = [await measureAnswers(plumbline, filling)]
    for (const archives of [true, false]) lines.push(await measureAged(plumbline, filling, archives))
    return lines
  } finally {
    await filling.close()
    await plumbline.stop()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const formatRowsPerSecond = (rows: number, ms: number) => `${Math.round((rows / ms) * 1000)} rows a second`

/** Measures how fast the job deletes the stored responses of a busy day. */
async function measureAnswers({ database, clock }: Plumbline, filling: Database): Promise<string> {
  await filling.transaction(async (trx) => {
    await sql`
      insert into "idempotencyRecords" ("organizationId", "key", "fingerprint", "status", "headers", "body", "createdAt", "expiresAt")
      select 'org_' || n % ${BUILDERS}, md5(n::text), md5(n::text), 201, '{}', repeat(md5(n::text), 20),
        now() - interval '2 days' + n * interval '10 ms', now() - interval '1 day' + n * interval '10 ms'
      from generate_series(1, ${ANSWERS}) as n`.execute(trx)
    await sql`analyze "idempotencyRecords"`.execute(trx)
  })
  const startedMs = performance.now()
  await deleteOldResponses(database, clock)
  const ms = performance.now() - startedMs
  await assertEmpty(filling, 'idempotencyRecords')
  return `${ANSWERS} stored responses deleted:  ${formatRowsPerSecond(ANSWERS, ms)} (goal: 1000; no statement over ${MAX_STATEMENT_MS} ms)`
}

/**
 * Measures how fast jobs archive and delete events and status changes of several builders. The rows are several months
 * older than the retention period.
 */
async function measureAged({ app, database, clock }: Plumbline, filling: Database, archives: boolean): Promise<string> {
  for (let i = 0; i < BUILDERS; i++) {
    const provided = { ownerEmail: 'owner@example.com', ownerName: 'Owner', most: 1000 }
    const { organization } = await createOrganization(database, clock, { name: `Builder ${i}`, ...provided })
    await filling.transaction((trx) => fillTables(trx, organization.id))
  }
  await filling.transaction((trx) => sql`analyze "events", "statusChanges"`.execute(trx))
  const startedMs = performance.now()
  const stored = { archives, eventRetentionDays: KEPT_DAYS, historyRetentionDays: KEPT_DAYS }
  await startDeletionWorker(app.services, stored).run()
  const ms = performance.now() - startedMs
  for (const table of ['events', 'statusChanges']) await assertEmpty(filling, table)
  const rows = 2 * BUILDERS * MONTHS * ROWS
  const how = archives ? 'archived and deleted' : 'deleted'
  return `${rows} events and moves of statuses ${how}: ${formatRowsPerSecond(rows, ms)} (goal: 1000; no statement over ${MAX_STATEMENT_MS} ms)`
}

async function fillTables(trx: Database['statements'], organizationId: string): Promise<void> {
  const at = sql`now() - interval '${sql.raw(String(KEPT_DAYS + (MONTHS + 1) * 31))} days' + n * interval '${sql.raw(String((MONTHS * 30) / (MONTHS * ROWS)))} days'`
  // The IDs are in chronological order, like real ones. An event has 1.5 kB.
  await sql`
    insert into "events" ("organizationId", "id", "type", "resourceId", "payload", "occurredAt", "sequence")
    select ${organizationId}, 'evt_' || lpad(n::text, 10, '0') || substr(${organizationId}, 5), 'vendor.created', 'ven_' || n,
      json_build_object('id', 'evt_' || lpad(n::text, 10, '0'), 'type', 'vendor.created', 'actor', json_build_object('type', 'system'),
        'data', json_build_object('object', json_build_object('id', 'ven_' || n, 'note',
          (select string_agg(md5(n::text || i::text), ' ') from generate_series(1, 40) as i)), 'previous', null))::text,
      ${at}, n from generate_series(1, ${sql.lit(MONTHS * ROWS)}) as n`.execute(trx)
  await sql`
    insert into "statusChanges" ("organizationId", "id", "resourceId", "from", "to", "at", "by")
    select ${organizationId}, 'stc_' || lpad(n::text, 10, '0'), 'ven_' || n, 'active', 'on_hold', ${at}, '{"type": "system"}'
    from generate_series(1, ${sql.lit(MONTHS * ROWS)}) as n`.execute(trx)
}

async function assertEmpty(filling: Database, table: string): Promise<void> {
  const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(filling.statements)
  if (rows.length > 0) throw new Error(`Something was left in ${table}.`)
}

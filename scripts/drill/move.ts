import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { verifyWebhook } from '../../client/webhooks.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { openDatabase } from '../../server/platform/database/database.ts'
import { addDefaultKey, sendRequest } from '../conformance/service.ts'
import { startPostgres } from '../processes/postgres.ts'
import { startReceiver } from '../processes/receiver.ts'
import { createUnlimitedEnvironment, type Environment, runOperatorCommand, startService } from '../processes/service.ts'
import type { Check } from './failover.ts'

const CLI = path.resolve(import.meta.dirname, '../../server/operators/cli/main.js')

/**
 * Moves the demo builder, optionally with more records, from the embedded database to PostgreSQL. First checks that the
 * move is rejected while the service is running. Then kills the move before it is complete, changes the source, and
 * continues. Finally, uses keys, links, files, and webhook secrets in the new database.
 *
 * @param records the number of vendors to add
 */
export async function testMove(check: Check, records = 0): Promise<void> {
  const postgres = await startPostgres()
  if (postgres === null) return
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-move-'))
  try {
    await moveTo(check, { to: await postgres.database(), folder, records })
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function moveTo(check: Check, at: { to: string; folder: string; records: number }): Promise<void> {
  const embedded = createUnlimitedEnvironment({ DATA_DIR: path.join(at.folder, 'data') })
  const moved: Environment = { ...embedded, DATABASE_URL: at.to }
  const { key, organizationId } = await runOperatorCommand<{ key: string; organizationId: string }>(embedded, 'demo')
  if (at.records > 0) await addVendors(embedded, at.records)
  const receiver = await startReceiver()
  const post = (url: string, to: string, body: unknown) => sendRequest(url, 'POST', to, body, addDefaultKey(key))

  const before = await startService(embedded)
  const { body: webhook } = await post(before.url, '/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'] })
  const { body: vendor } = await post(before.url, '/api/ext/vendors', {
    ...{ companyName: 'Brazos Framing', email: 'office@brazos.example.com' },
  })
  await post(before.url, `/api/ext/vendors/${vendor.id}/invite`, {})
  const { body: portal } = await post(before.url, `/api/ext/vendors/${vendor.id}/portal-link`, {})
  const { body: paper } = await post(before.url, `/api/ext/vendors/${vendor.id}/compliance-documents`, { type: 'w9' })
  const upload = await fetch(`${before.url}/api/ext/attachments?recordId=${paper.id}&fileName=w9.pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: '%PDF-1.4',
  })
  const { id: fileId } = (await upload.json()) as { id: string }
  const users = await runOperatorCommand<{ data: { id: string }[] }>(
    embedded,
    'users',
    'list',
    '--organization',
    organizationId,
  )
  const signIn = await runOperatorCommand<{ url: string }>(embedded, 'users', 'sign-in-link', users.data[0]?.id ?? '')
  const whileRunning = await runMove(embedded, at.to)
  check(whileRunning.error?.code === 'data_folder_in_use', 'a move is refused while the service runs')
  await before.stop()

  const killed = await runMove(embedded, at.to, true)
  check(killed.code === null, 'a move is killed after its first rows')
  const half = await runOperatorCommand(moved, 'organizations', 'list').then(
    () => 'It started.',
    (error: { stderr: string }) => error.stderr,
  )
  check(half.includes('is unfinished'), 'nothing starts on the half-filled database')
  const added = await runOperatorCommand<{ secret: string }>(
    embedded,
    'keys',
    'create',
    '--organization',
    organizationId,
  )

  const started = performance.now()
  const { result, error } = await runMove(embedded, at.to)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  check(
    result?.continued === true,
    `it continues, and has moved ${result?.rows} rows in ${seconds} s ${error === null ? '' : JSON.stringify(error)}`,
  )
  const again = await runMove(embedded, at.to)
  check(again.error?.code === 'move_refused', 'a database that is not empty is refused')
  const source = await exportRecords(embedded, organizationId, path.join(at.folder, 'source'))
  const target = await exportRecords(moved, organizationId, path.join(at.folder, 'target'))
  check(source.length > 1000 && source.join() === target.join(), `both export the same ${source.length} lines`)
  check((await readFaults(at.to)).length === 0, 'foreign keys and triggers are restored, and the mark is removed')

  const after = await startService(moved)
  const { body: me } = await sendRequest(after.url, 'GET', '/api/ext/me', undefined, addDefaultKey(added.secret))
  check(me.organization?.id === organizationId, 'keys are valid, including the one made after the interruption')
  check((await readStatus(after.url, portal.portalUrl)) === 200, 'a portal link opens')
  check((await readStatus(after.url, signIn.url)) === 200, 'a sign-in link opens')
  const content = await fetch(`${after.url}/api/ext/attachments/${fileId}/content`, {
    headers: { authorization: `Bearer ${key}` },
  })
  check((await content.text()) === '%PDF-1.4', 'a file has its content')
  const { body: next } = await post(after.url, '/api/ext/vendors', { companyName: 'Moved Framing' })
  const isOfNext = ({ body }: { body: string }) => body.includes(next.id)
  await receiver.until((received) => received.some(isOfNext))
  const delivery = receiver.received.find(isOfNext)
  const event = delivery && (await verifyWebhook(delivery, webhook.secret).catch(() => null))
  check(event?.type === 'vendor.created', 'an event is delivered, signed with the secret from before the move')
  await after.stop()
  await receiver.close()
}

interface MoveRun {
  /** The exit code; null if a signal ended the process. */
  code: number | null
  result: { continued: boolean; rows: number } | null
  error: { code: string; detail: string } | null
}

async function runMove(environment: Environment, to: string, killAtFirstRow = false): Promise<MoveRun> {
  const child = spawn(process.execPath, [CLI, 'move', '--to', to], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    if (killAtFirstRow && stderr.includes('"progress"')) child.kill('SIGKILL')
  })
  const [code] = await once(child, 'close')
  const problem = stderr.slice(Math.max(0, stderr.lastIndexOf('{\n  "error"')))
  return {
    code,
    result: code === 0 ? JSON.parse(stdout) : null,
    error: code === 1 ? JSON.parse(problem).error : null,
  }
}

/** Returns the exported records. Leaves out the audit entries that the exports themselves add. */
async function exportRecords(environment: Environment, organizationId: string, file: string): Promise<string[]> {
  await runOperatorCommand(environment, 'organizations', 'export', organizationId, '--out', file)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.filter((line) => !/^\{"kind":"(export|audit_entry)"/.test(line))
}

async function readFaults(url: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(`
      select tgname::text as name from pg_trigger where tgenabled <> 'O'
      union all select relname from pg_class where relname = 'unfinishedMove'
      union all select 'no foreign keys' where not exists (select from pg_constraint where contype = 'f')`)
    return rows
  } finally {
    await client.end()
  }
}

async function readStatus(service: string, link: string): Promise<number> {
  const { pathname, search } = new URL(link)
  const { status } = await fetch(service + pathname + search)
  return status
}

/** Adds copies of a vendor directly to the database, because adding this number through the API would take an hour. */
async function addVendors(environment: Environment, count: number): Promise<void> {
  const database = await openDatabase(readConfig({ ...environment }))
  const own = new Set(['id', 'companyName', 'externalId', 'accountingId'])
  const { rows } = await sql<{ name: string }>`
    select "attname" as "name" from "pg_attribute"
    where "attrelid" = '"vendors"'::regclass and "attnum" > 0 and not "attisdropped" and "attgenerated" = ''`.execute(
    database.statements,
  )
  const same = sql.join(rows.filter(({ name }) => !own.has(name)).map(({ name }) => sql.ref(name)))
  for (let first = 1; first <= count; first += BATCH_ROWS)
    await sql`
      insert into "vendors" ("id", "companyName", ${same})
      select 'ven_' || lpad(n::text, 26, '0'), 'Vendor ' || n, ${same}
      from (select * from "vendors" order by "id" desc limit 1) v,
        generate_series(${first}::int, ${Math.min(count, first + BATCH_ROWS - 1)}::int) n`.execute(database.statements)
  await database.close()
}

const BATCH_ROWS = 5000

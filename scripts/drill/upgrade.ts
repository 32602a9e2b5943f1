import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Ledger } from '../crash/ledger.ts'
import { startHaproxy } from '../processes/haproxy.ts'
import { type PrivatePostgres, startPostgres } from '../processes/postgres.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  findFreePort,
  type Service,
  startService,
} from '../processes/service.ts'
import { type Check, runQuery } from './failover.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/**
 * Additions to the schema that simulate those of the next version. The previous version does not know them. The index
 * is built while both versions serve requests.
 */
const NEXT_MIGRATION = `import { type Kysely, sql } from 'kysely'
import { createIndexes } from '../large-indexes.ts'

export const ahead = [{ name: 'vendors_drilledAt', on: '"vendors" ("organizationId", "companyName", "id")' }]

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table "vendors" add column "drilled" text not null default 'no'\`.execute(db)
  await sql\`create table "drills" ("organizationId" text collate "C" not null references "organizations" ("id"), "id" text collate "C" not null, primary key ("organizationId", "id"))\`.execute(db)
  await sql\`create function "markDrilled"() returns trigger language plpgsql as $$ begin new."drilled" := 'yes'; return new; end $$\`.execute(db)
  await sql\`create trigger "vendors_drilled" before insert on "vendors" for each row execute function "markDrilled"()\`.execute(db)
  await createIndexes(db, ahead)
}
`

/** Upgrades a service whose database is on one PostgreSQL server (see `testUpgradeOn`). */
export async function testUpgrade(check: Check, from?: string): Promise<void> {
  const postgres = await startPostgres()
  if (postgres === null) return
  try {
    await testUpgradeOn(check, { server: postgres, url: await postgres.database() }, from)
  } finally {
    await postgres.stop()
  }
}

/**
 * Runs two processes of the previous version behind HAProxy. Under load, starts a process of the next version, which
 * migrates the database. Kills one of the old processes and restarts it, as a supervisor would. Then replaces the old
 * processes with the next version, one after another.
 *
 * @param database the server to which the service connects, and the URL of an empty database
 * @param from the tag or commit of the previous version
 */
export async function testUpgradeOn(
  check: Check,
  { server, url }: { server: PrivatePostgres; url: string },
  from?: string,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-upgrade-'))
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()]
  const balancer = await startHaproxy(ports, [server.port])
  try {
    if (balancer === null) return
    const [before, next] = prepareVersions(folder, from)
    const environment = createUnlimitedEnvironment({ DATABASE_URL: url })
    const started = (folder: string, port: number | undefined): Promise<Service> =>
      startService({ ...environment, LOG_LEVEL: 'warn', PORT: String(port) }, { folder })
    const [first, second, third] = ports
    const { key } = await createBuilder(environment, 'Harrow & Finch Homes', before)
    const old = [await started(before, first), await started(before, second)] as const
    const ledger = new Ledger(key)
    const load = ledger.write(balancer.url, 8)
    await ledger.untilMore(200)

    const begun = performance.now()
    const newer = await started(next, third)
    const all = [...old, newer]
    console.log(
      `       the next version was ready, and the database migrated, after ${Math.round(performance.now() - begun)} ms`,
    )
    await ledger.untilMore(200)
    check(await writeToAll(all, key), 'two processes of the version before and one of the next write side by side')

    await old[1].kill()
    const again = await started(before, second)
    check(await writeToAll([again], key), 'one of the version before that dies is started again beside the next')
    await ledger.untilMore(200)

    const replaced: Service[] = [newer]
    for (const [service, port] of [
      [old[0], first],
      [again, second],
    ] as const) {
      const code = await service.stop()
      check(code === 0, `one of the version before was ended with ${code}`)
      replaced.push(await started(next, port))
      await ledger.untilMore(200)
    }
    check(await writeToAll(replaced, key), 'three processes of the next version write')
    ledger.stop()
    await load
    if (from === undefined) {
      const { rows } = await runQuery(
        server,
        `select count(*)::int as "drilled" from "vendors" where "drilled" = 'yes'`,
      )
      check(rows[0]?.drilled >= 400, `the trigger of the next version marked ${rows[0]?.drilled} vendors`)
    }
    check(await areEventsNumbered(server), 'whichever version dispatched them, all events are numbered without a gap')
    const refused = [...ledger.answers].filter(([answer]) => !/^20[01]$/.test(answer))
    const cutOff = refused.filter(([answer]) => answer !== '502 unavailable')
    check(
      // Only requests that the killed process was handling are interrupted.
      cutOff.length === 0 && refused.reduce((sum, [, count]) => sum + count, 0) <= 8,
      `answers under load: ${[...ledger.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
    )
    await ledger.repeatUnanswered(balancer.url)
    const { lost, doubled, halves, vendors, events } = await ledger.compare(balancer.url)
    check(
      lost.length + doubled.length + halves.length === 0,
      `${ledger.acknowledged} acknowledged writes: ${lost.length} lost, ${doubled.length} made twice; ${vendors} vendors and ${events} events, ${halves.length} do not belong together`,
    )
    await Promise.all(replaced.map((service) => service.stop()))
  } finally {
    await balancer?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Returns the folders of the previous and the next version. */
function prepareVersions(folder: string, from: string | undefined): [string, string] {
  const [before, next] = [path.join(folder, 'before'), path.join(folder, 'next')]
  for (const version of [before, next]) {
    mkdirSync(version)
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(version, 'node_modules'))
    for (const part of ['server', 'package.json', 'dist/web'])
      cpSync(path.join(ROOT, part), path.join(version, part), { recursive: true })
  }
  if (from === undefined) {
    writeFileSync(path.join(next, 'server/platform/database/migrations/9999_drill.ts'), NEXT_MIGRATION)
    return [before, next]
  }
  rmSync(path.join(before, 'server'), { recursive: true })
  const archive = execFileSync('git', ['archive', from, 'server', 'package.json'], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', before], { input: archive })
  return [before, next]
}

/** Returns whether all events of the only builder get consecutive numbers within ten seconds. */
async function areEventsNumbered(server: PrivatePostgres): Promise<boolean> {
  for (const started = performance.now(); performance.now() - started < 10_000; await delay(200)) {
    const { rows } = await runQuery(
      server,
      `select bool_and("sequence" is not null) as "all", max("sequence") = count(*) as "each" from "events"`,
    )
    if (rows[0]?.all === true) return rows[0].each === true
  }
  return false
}

async function writeToAll(services: readonly Service[], key: string): Promise<boolean> {
  const statuses = await Promise.all(
    services.map(async ({ url }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ companyName: `Vendor ${Math.random()}` })
      const answer = await fetch(`${url}/api/ext/vendors`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      return answer.status
    }),
  )
  return statuses.every((status) => status === 201)
}

import { readFileSync } from 'node:fs'
import pg from 'pg'
import { getSkillSearch } from '../../server/interfaces/skills/skill-search.ts'
import { sendRequest } from '../conformance/service.ts'
import { contract } from '../conformance/walked-contract.ts'
import { startPostgres } from '../processes/postgres.ts'
import { createUnlimitedEnvironment, runOperatorCommand, startService } from '../processes/service.ts'

/**
 * Measures the read-only skills for a builder with 5,000 homes and 3,000 vendors: `npm run bench -- skills`, optionally
 * with the names of some skills. The homes are copies of the demo builder's homes with all their records, in a hundred
 * communities. A tenth of them are under construction, and the others were built in earlier years. Every example is
 * requested several times. The shortest time is reported, because other work on the machine affects it least. Without
 * names, the benchmark also measures how long it takes to find a skill.
 */
const COPIES = 430
const COPIES_UNDER_WAY = 43
const COMMUNITY_COPIES = 50
const VENDOR_COPIES = 55
const REPETITIONS = 5
const SEARCH_REPETITIONS = 20
const MAX_SEARCH_MS = 10
const TASKS_FILE = new URL('../../test/support/tasks-for-agents.json', import.meta.url)

/** The tables whose rows are copied with each home, because reports about many homes read them. */
const HOME_TABLES = [
  ...[
    'homes',
    'budgetLines',
    'purchaseOrders',
    'tasks',
    'milestones',
    'selections',
    'sales',
    'payments',
    'bidRequests',
  ],
  'bids',
]
/**
 * The prefixes of the IDs that differ between copies. All other IDs are the same in all copies. Vendors are copied
 * separately.
 */
const COPIED_PREFIXES = ['hom', 'bud', 'po', 'tsk', 'mil', 'sel', 'sale', 'pay', 'brq', 'inv', 'bid']

export const SKILLS = Object.keys(contract.document['x-skills'] as object)

export async function measureSkills(names: readonly string[]): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const url = await postgres.database('skills')
  const environment = createUnlimitedEnvironment({ DATABASE_URL: url })
  const { key, organizationId } = await runOperatorCommand<{ key: string; organizationId: string }>(environment, 'demo')
  const client = new pg.Client(url)
  await client.connect()
  await copyRecords(client, organizationId)
  const { rows } =
    await client.query(`select (select count(*) from "homes") as h, (select count(*) from "vendors") as v,
    (select count(*) from "purchaseOrders") as o, (select count(*) from "tasks") as t`)
  await client.end()
  const service = await startService(environment)
  const lines = [
    `${rows[0].h} homes, ${rows[0].v} vendors, ${rows[0].o} orders, ${rows[0].t} tasks`,
    '',
    '| skill | ms |',
    '| --- | ---: |',
  ]
  const declared = contract.document['x-skills'] as Record<
    string,
    { writes: boolean; examples: Record<string, { value: object }> }
  >
  for (const [skill, { writes, examples }] of Object.entries(declared)) {
    if (writes || (names.length > 0 && !names.includes(skill))) continue
    process.stderr.write(`${skill}\n`)
    for (const { value: input } of Object.values(examples)) {
      const took: number[] = []
      let problem = ''
      for (let i = 0; i < REPETITIONS; i++) {
        const { status, body } = await sendRequest(service.url, 'POST', '/api/ext/execute', { skill, input }, { key })
        if (status === 200) took.push(body.durationMs)
        else problem = body.detail
      }
      lines.push(`| ${skill} | ${took.length === 0 ? problem : Math.min(...took)} |`)
    }
  }
  await service.stop()
  await postgres.stop()
  return names.length > 0 ? lines : [...lines, '', measureSearch()]
}

/** Measures the processor time for finding skills with the words of users. A model searches before it runs a skill. */
function measureSearch(): string {
  const search = getSkillSearch(contract)
  const requests = (JSON.parse(readFileSync(TASKS_FILE, 'utf8')) as { request: string }[]).map(({ request }) => request)
  const tookMs: number[] = []
  for (let round = 0; round < SEARCH_REPETITIONS; round++) {
    for (const request of requests) {
      const before = process.cpuUsage()
      search.find(request, 5, () => true)
      const { user, system } = process.cpuUsage(before)
      tookMs.push((user + system) / 1000)
    }
  }
  tookMs.sort((a, b) => a - b)
  const p99Ms = tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN
  return `finding skills: p99 ${p99Ms.toFixed(1)} ms, wanted < ${MAX_SEARCH_MS}: ${p99Ms < MAX_SEARCH_MS ? 'holds' : 'MISSED'}`
}

/** Copies the homes with their records, and the vendors. The ID of a copy ends with the copy's number. */
async function copyRecords(client: pg.Client, organizationId: string): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query(`
    create function pg_temp.copied(id text, n integer) returns text language sql immutable as $$
      select case when split_part(id, '_', 1) = any(array['${COPIED_PREFIXES.join("','")}'])
        then left(id, length(id) - 5) || lpad(n::text, 5, '0')
        when id like 'ven\\_%' then left(id, length(id) - 5) || lpad((1 + n % ${VENDOR_COPIES})::text, 5, '0')
        when id like 'com\\_%' then left(id, length(id) - 5) || lpad((1 + n % ${COMMUNITY_COPIES})::text, 5, '0') else id end $$`)
  for (const table of HOME_TABLES) await copyTable(client, table, organizationId, COPIES, 'pg_temp.copied')
  await client.query(`
    create function pg_temp.vendor(id text, n integer) returns text language sql immutable as $$
      select case when id ~ '^(ven|com)_' then left(id, length(id) - 5) || lpad(n::text, 5, '0') else id end $$`)
  await copyTable(client, 'vendors', organizationId, VENDOR_COPIES, 'pg_temp.vendor')
  await copyTable(client, 'communities', organizationId, COMMUNITY_COPIES, 'pg_temp.vendor')
  for (const [table, change] of Object.entries(CLOSED_HOME_VALUES))
    await client.query(
      `update "${table}" set ${change} where right("id", 5) between $1 and $2
       ${table === 'homes' ? `and "status" <> 'cancelled'` : ''}`,
      [COPIES_UNDER_WAY + 1, COPIES].map((n) => String(n).padStart(5, '0')),
    )
  await client.query('vacuum full')
  await client.query('vacuum analyze')
}

/** The state of copies that are finished homes: they were built, paid for, and sold two years ago. */
const CLOSED_HOME_VALUES: Record<string, string> = {
  homes: `"status" = 'closed', "closingDate" = coalesce("closingDate", current_date - 700),
    "actualCompletionDate" = coalesce("actualCompletionDate", current_date - 720)`,
  tasks: `"status" = 'completed', "plannedStart" = "plannedStart" - 730, "plannedEnd" = "plannedEnd" - 730,
    "actualStart" = coalesce("actualStart", "plannedStart") - 730, "actualEnd" = coalesce("actualEnd", "plannedEnd") - 730`,
  milestones: `"status" = 'completed'`,
  purchaseOrders: `"completedAmount" = "total",
    "status" = case when "status" in ('draft', 'pending_approval', 'declined', 'void') then 'void' else 'closed' end`,
  payments: `"status" = case when "status" in ('pending', 'approved') then 'paid' else "status" end`,
  bidRequests: `"status" = case when "status" in ('draft', 'sent') then 'cancelled' else "status" end`,
  bids: `"status" = case when "status" = 'submitted' then 'rejected' else "status" end`,
}

async function copyTable(
  client: pg.Client,
  table: string,
  organizationId: string,
  copies: number,
  name: string,
): Promise<void> {
  const { rows } = await client.query<{ column: string; type: string }>(
    `select "column_name" as "column", "udt_name" as "type" from information_schema.columns
     where "table_name" = $1 and "is_generated" = 'NEVER' order by "ordinal_position"`,
    [table],
  )
  const copyOf = ({ column, type }: { column: string; type: string }) => {
    const own = `t."${column}"`
    if (column === 'externalId' || column === 'accountingId') return 'null'
    if (
      ['lotNumber', 'name', 'code', 'companyName', 'number', 'title', 'invoiceNumber'].includes(column) &&
      table !== 'tasks'
    )
      return `${own} || ' ' || n`
    if (column === 'organizationId') return own
    if (type === '_text') return `array(select ${name}(x, n) from unnest(${own}) as x)`
    return type === 'text' ? `${name}(${own}, n)` : own
  }
  const columns = rows.map(({ column }) => `"${column}"`).join(', ')
  await client.query(
    `insert into "${table}" (${columns}) select ${rows.map(copyOf).join(', ')}
     from "${table}" as t, generate_series(1, ${copies}) as n where t."organizationId" = $1 on conflict do nothing`,
    [organizationId],
  )
}

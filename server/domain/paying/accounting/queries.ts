import { CompiledQuery } from 'kysely'
import type { LedgerItem, LedgerType, MissingInAccounting } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import type { PagePosition } from '../../../platform/calls/page.ts'
import { LEDGER_KINDS, toAccountingConditionSql } from './ledger-kinds.ts'

/** A record that changed, or a failed record that is due again. `at` is the time of the change or the due time. */
export interface SyncCandidate {
  type: LedgerType
  id: string
  at: string
}

interface CandidateQuery {
  types: readonly LedgerType[]
  after: PagePosition
  now: string
  most: number
}

/** Returns the failed records whose retry is due only after now, and after the position, the next retry first. */
export async function findWaitingRecords(
  { db, organizationId }: Tenant,
  { types, after, now, most }: CandidateQuery,
): Promise<SyncCandidate[]> {
  const statement = `
    select s."type", s."recordId" as "id", s."retryAt" as "at" from "ledgerStates" as s
    where s."organizationId" = $1 and s."retryAt" is not null and (s."retryAt", s."recordId") > ($2, $3)
      and s."retryAt" > $5 and s."type" = any($6) order by s."retryAt", s."recordId" limit $4`
  const values = [organizationId, after.value, after.id, most, now, [...types]]
  return (await db.executeQuery<SyncCandidate>(CompiledQuery.raw(statement, values))).rows
}

/**
 * Returns the records that changed after the position, and the failed records that became due after it, oldest first.
 * Reads at most `most` rows of each kind, using the index.
 */
export async function findSyncCandidates(
  { db, organizationId }: Tenant,
  { types, after, now, most }: CandidateQuery,
): Promise<SyncCandidate[]> {
  const changed = types.map(
    (type) => `(
      select '${type}' as "type", r."id", r."updatedAt" as "at" from "${LEDGER_KINDS[type].table}" as r
      where r."organizationId" = $1 and (r."updatedAt", r."id") > ($2, $3) order by r."updatedAt", r."id" limit $4)`,
  )
  const failed = `(
    select s."type", s."recordId", s."retryAt" from "ledgerStates" as s
    where s."organizationId" = $1 and s."retryAt" is not null and (s."retryAt", s."recordId") > ($2, $3)
      and s."retryAt" <= $5 and s."type" = any($6) order by s."retryAt", s."recordId" limit $4)`
  const statement = `${[...changed, failed].join(' union all ')} order by "at", "id" limit $4`
  const values = [organizationId, after.value, after.id, most, now, [...types]]
  return (await db.executeQuery<SyncCandidate>(CompiledQuery.raw(statement, values))).rows
}

/**
 * Returns the records whose current version is not in the accounting system. Omits failed records that are not due yet.
 */
export async function findUnsyncedRecords(
  { db, organizationId }: Tenant,
  { found, now, waiting }: { found: readonly SyncCandidate[]; now: string; waiting: boolean },
): Promise<LedgerItem[]> {
  const byType = Map.groupBy(found, ({ type }) => type)
  if (byType.size === 0) return []
  const ids: string[][] = []
  const ofTypes = [...byType].map(([type, those]) => {
    const kind = LEDGER_KINDS[type]
    ids.push(those.map(({ id }) => id))
    return `
      select '${type}' as "type", r."id", ${kind.label} as "label", ${kind.amount ?? 'null::numeric'} as "amount",
        r."accountingId", r."version", r."updatedAt", s."version" as "syncedVersion", s."error", s."attempts", s."retryAt",
        s."failedVersion"
      from "${kind.table}" as r
      left join "ledgerStates" as s on s."organizationId" = r."organizationId" and s."recordId" = r."id"
      where r."organizationId" = $1 and r."id" = any($${ids.length + 2}) and ${toAccountingConditionSql(kind)}
        and (r."accountingId" is null or s."version" is distinct from r."version")
        and ${waiting ? 's."failedVersion" = r."version" and s."retryAt" > $2' : '(s."failedVersion" is distinct from r."version" or s."retryAt" <= $2)'}`
  })
  const { rows } = await db.executeQuery<LedgerRow>(
    CompiledQuery.raw(ofTypes.join(' union all '), [organizationId, now, ...ids]),
  )
  return rows.map(({ error, attempts, retryAt, failedVersion, ...row }): LedgerItem => {
    const failure =
      error === null || attempts === null || retryAt === null ? null : { message: error, attempts, retryAt }
    const reason = failedVersion === row.version ? 'error' : row.accountingId === null ? 'new' : 'changed'
    return { ...row, reason, error: failure }
  })
}

type LedgerRow = Omit<LedgerItem, 'reason' | 'error'> & {
  error: string | null
  attempts: number | null
  retryAt: string | null
  failedVersion: number | null
}

/** Returns the records with these accounting IDs, one for each ID. */
export async function findRecordsByAccountingIds(
  { db, organizationId }: Tenant,
  type: LedgerType,
  accountingIds: readonly string[],
): Promise<ReadonlyMap<string, Counterpart>> {
  const { table, label, amount, fallen = 'null::text' } = LEDGER_KINDS[type]
  const statement = `
    select distinct on (r."accountingId") r."accountingId", r."id", ${label} as "label",
      ${amount ?? 'null::numeric'} as "amount", ${fallen} as "fallen"
    from "${table}" as r where r."organizationId" = $1 and r."accountingId" = any($2)
    order by r."accountingId", r."id"`
  const { rows } = await db.executeQuery<Counterpart>(
    CompiledQuery.raw(statement, [organizationId, [...accountingIds]]),
  )
  return new Map(rows.map((row) => [row.accountingId, row]))
}

/** `fallen` is the status of a rejected, declined, or voided record; null for other records. */
export type Counterpart = MissingInAccounting & { fallen: string | null }

/**
 * Returns the records in the range whose accounting IDs are not in the list, ordered by accounting ID, and the total
 * number of such records.
 */
export async function findRecordsWithOtherIds(
  { db, organizationId }: Tenant,
  type: LedgerType,
  {
    accountingIds,
    after,
    through,
    most,
  }: { accountingIds: readonly string[]; after: string | null; through: string | null; most: number },
): Promise<{ count: number; first: MissingInAccounting[] }> {
  const { table, label, amount } = LEDGER_KINDS[type]
  // Compares IDs byte by byte, independently of the collation of the database. Clients can compare IDs in the same way.
  const statement = `
    select r."accountingId", r."id", ${label} as "label", ${amount ?? 'null::numeric'} as "amount",
      (count(*) over ())::integer as "count"
    from "${table}" as r
    where r."organizationId" = $1 and r."accountingId" is not null
      and not exists (select from unnest($2::text[]) as there ("id") where there."id" = r."accountingId")
      and ($3::text is null or r."accountingId" collate "C" > $3) and ($4::text is null or r."accountingId" collate "C" <= $4)
    order by r."accountingId" collate "C", r."id" limit $5`
  const values = [organizationId, [...accountingIds], after, through, most]
  const { rows } = await db.executeQuery<MissingInAccounting & { count: number }>(CompiledQuery.raw(statement, values))
  return { count: rows[0]?.count ?? 0, first: rows.map(({ count: _count, ...row }) => row) }
}

/** Returns the IDs, in order, of the records that belong in the accounting system, starting after the given ID. */
export async function listRecordIdsAfter(
  { db, organizationId }: Tenant,
  type: LedgerType,
  after: string,
  max: number,
): Promise<string[]> {
  const kind = LEDGER_KINDS[type]
  const statement = `
    select r."id" from "${kind.table}" as r
    where r."organizationId" = $1 and r."id" > $2 and ${toAccountingConditionSql(kind)} order by r."id" limit $3`
  const { rows } = await db.executeQuery<{ id: string }>(CompiledQuery.raw(statement, [organizationId, after, max]))
  return rows.map(({ id }) => id)
}

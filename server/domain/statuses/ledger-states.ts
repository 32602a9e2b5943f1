import { sql } from 'kysely'
import type { LedgerType, MatchBy } from '../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { WrittenRow } from '../../platform/resources/sync-rows.ts'

/** The accounting state of a record: the acknowledged ID and version, and the most recent failure. */
export interface LedgerState {
  recordId: string
  type: LedgerType
  version: number | null
  syncedAt: string | null
  failedVersion: number | null
  error: string | null
  attempts: number | null
  retryAt: string | null
}

export const NOTHING_FAILED = { failedVersion: null, error: null, attempts: null, retryAt: null }

export async function findLedgerStates(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LedgerState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<LedgerState>`
    select "recordId", "type", "version", "syncedAt", "failedVersion", "error", "attempts", "retryAt" from "ledgerStates"
    where "organizationId" = ${organizationId} and "recordId" = any(${ids})`.execute(db)
  return new Map(rows.map((row) => [row.recordId, row]))
}

/** Stores the accounting states of locked records. */
export async function storeLedgerStates(
  { db, organizationId }: WriteCall,
  states: readonly LedgerState[],
): Promise<void> {
  if (states.length === 0) return
  await sql`
    insert into "ledgerStates"
      ("organizationId", "recordId", "type", "version", "syncedAt", "failedVersion", "error", "attempts", "retryAt")
    select o."id", s."recordId", s."type", s."version", s."syncedAt", s."failedVersion", s."error", s."attempts", s."retryAt"
    from "organizations" as o
    cross join json_populate_recordset(null::"ledgerStates", ${JSON.stringify(states)}::json) as s
    where o."id" = ${organizationId}
    on conflict ("organizationId", "recordId") do update set
      -- An acknowledgment that waited for the record's lock may be older than the stored state.
      "version" = greatest(excluded."version", "ledgerStates"."version"),
      "syncedAt" = excluded."syncedAt", "failedVersion" = excluded."failedVersion", "error" = excluded."error",
      "attempts" = excluded."attempts", "retryAt" = excluded."retryAt"`.execute(db)
}

/**
 * Returns the step of a sync that marks the stored records as acknowledged. Rows that are matched by accountingId come
 * from the accounting system, so their changes do not need to be sent back. A record that was already due stays due,
 * because the row may not contain the fields that were changed in Plumbline.
 */
export function createAcknowledgeStep(
  type: LedgerType,
  match: MatchBy | undefined,
): { settle?: (call: WriteCall, written: readonly WrittenRow[]) => Promise<void> } {
  if (match !== 'accountingId') return {}
  return {
    async settle(call, written) {
      const those = written.filter(({ before, version }) => before !== version)
      if (those.length === 0) return
      const states = await findLedgerStates(
        call,
        those.flatMap(({ id, before }) => (before === null ? [] : id)),
      )
      const known = those.filter(({ id, before }) => before === null || states.get(id)?.version === before)
      const syncedAt = call.now.toISOString()
      await storeLedgerStates(
        call,
        known.map(({ id, version }) => ({ ...NOTHING_FAILED, recordId: id, type, version, syncedAt })),
      )
    },
  }
}

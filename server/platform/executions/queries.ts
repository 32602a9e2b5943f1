import { sql } from 'kysely'
import type { ExecutionRecord } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { defineResource } from '../resources/resource.ts'

export const { list, find, findAll } = defineResource({
  schema: 'ExecutionRecord',
  filters: {
    actorId: (id) => `t."actorId" = ${id}`,
    runnable: (skills) => `t."skills" <@ ${skills}::text[]`,
  },
})

export type NewExecution = ExecutionRecord & { organizationId: string }

/**
 * Stores an execution in the transaction of its changes. An execution needs no audit entry, because executions are part
 * of the audit trail.
 */
export async function insertExecution({ db }: WriteCall, created: NewExecution): Promise<void> {
  await insertExecutions(db, created.organizationId, [created])
}

/** Stores executions of one organization. Stores none if the organization has been erased. */
export async function insertExecutions(db: Db, organizationId: string, rows: readonly NewExecution[]): Promise<void> {
  await sql`
    insert into "executions" ("organizationId", ${toColumns()})
    select o."id", ${toColumns('e')} from "organizations" as o
    cross join json_populate_recordset(null::"executions", ${JSON.stringify(rows)}::json) as e
    where o."id" = ${organizationId} on conflict do nothing`.execute(db)
}

const COLUMNS = [
  ...['id', 'skill', 'skills', 'input', 'dryRun', 'status', 'problem', 'changed', 'resourceIds'],
  ...['durationMs', 'requestId', 'version', 'createdBy', 'createdAt', 'updatedAt'],
]

function toColumns(...alias: string[]) {
  return sql.join(COLUMNS.map((column) => sql.id(...alias, column)))
}

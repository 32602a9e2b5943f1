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
 * Records an execution in the transaction of its changes. It needs no entry in the audit trail, because it is one
 * itself.
 */
export async function insertExecution({ db }: WriteCall, created: NewExecution): Promise<void> {
  await sql`insert into "executions" (${COLUMNS}) select ${COLUMNS} from ${toRows([created])}`.execute(db)
}

/** Records many executions, except those of builders that were erased meanwhile. */
export async function insertExecutions(db: Db, created: readonly NewExecution[]): Promise<void> {
  await sql`
    insert into "executions" (${COLUMNS}) select ${COLUMNS} from ${toRows(created)}
    where exists (select from "organizations" o where o."id" = given."organizationId")
    on conflict do nothing`.execute(db)
}

function toRows(created: readonly NewExecution[]) {
  return sql`json_populate_recordset(null::"executions", ${JSON.stringify(created)}::json) as given`
}

const COLUMNS = sql.join(
  [
    ...['organizationId', 'id', 'skill', 'skills', 'input', 'dryRun', 'status', 'problem', 'changed', 'resourceIds'],
    ...['durationMs', 'requestId', 'version', 'createdBy', 'createdAt', 'updatedAt'],
  ].map((column) => sql.id(column)),
)

import { sql } from 'kysely'
import type { ExecutionRecord } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { resource } from '../resources/resource.ts'

export const { list, find, findAll } = resource({
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
export async function insert({ db }: WriteCall, made: NewExecution): Promise<void> {
  await sql`insert into "executions" (${COLUMNS}) select ${COLUMNS} from ${rowsOf([made])}`.execute(db)
}

/** Records many executions, except those of builders that were erased meanwhile. */
export async function insertAll(db: Db, made: readonly NewExecution[]): Promise<void> {
  await sql`
    insert into "executions" (${COLUMNS}) select ${COLUMNS} from ${rowsOf(made)}
    where exists (select from "organizations" o where o."id" = given."organizationId")
    on conflict do nothing`.execute(db)
}

function rowsOf(made: readonly NewExecution[]) {
  return sql`json_populate_recordset(null::"executions", ${JSON.stringify(made)}::json) as given`
}

const COLUMNS = sql.join(
  [
    ...['organizationId', 'id', 'skill', 'skills', 'input', 'dryRun', 'status', 'problem', 'changed', 'resourceIds'],
    ...['durationMs', 'requestId', 'version', 'createdBy', 'createdAt', 'updatedAt'],
  ].map((column) => sql.id(column)),
)

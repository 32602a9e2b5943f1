import { sql } from 'kysely'
import type { Task } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'

/**
 * The fields of a task that an inspection needs. Defined here because the code for tasks imports this folder, and two
 * folders must not import each other.
 */
export type InspectedTask = Pick<Task, 'id' | 'name' | 'taskKind' | 'status' | 'archivedAt' | 'checklist'>

export async function findTaskOfHome(
  { db, organizationId }: Tenant,
  homeId: string,
  taskId: string,
): Promise<InspectedTask | undefined> {
  const { rows } = await sql<InspectedTask>`
    select "id", "name", "taskKind", "status", "archivedAt", "checklist" from "tasks"
    where "organizationId" = ${organizationId} and "id" = ${taskId} and "homeId" = ${homeId}`.execute(db)
  return rows[0]
}

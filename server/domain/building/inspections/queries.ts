import { sql } from 'kysely'
import type { Inspection } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findOptional, findAllWith, lock, insert, update } = defineResource({
  schema: 'Inspection',
  long: ['items', 'notes'],
  filters: {
    scheduledFrom: (date) => `t."scheduledOrder" >= ${date} and t."scheduledDate" is not null`,
    scheduledTo: (date) => `t."scheduledOrder" <= ${date} and t."scheduledDate" is not null`,
  },
  // Inspections without a date sort last. A cursor cannot contain null, so these inspections have a sort value.
  sorts: {
    scheduledDate: {
      column: 'scheduledOrder',
      from: (date) => `coalesce(nullif(${date}, 'null')::date, date '9999-12-31')`,
    },
  },
})

/** An attempt number, and the inspection with this number. */
export type InspectionAttempt = Pick<Inspection, 'id' | 'attempt' | 'status'>

/** Returns the latest inspection of the task, ignoring canceled inspections. */
export async function findLastAttempt(
  { db, organizationId }: Tenant,
  taskId: string,
): Promise<InspectionAttempt | undefined> {
  const { rows } = await sql<InspectionAttempt>`
    select "id", "attempt", "status" from "inspections"
    where "organizationId" = ${organizationId} and "taskId" = ${taskId} and "status" <> 'cancelled'
    order by "attempt" desc, "id" desc limit 1`.execute(db)
  return rows[0]
}

/** Returns the ID of the task's inspection whose status is requested or scheduled. */
export async function findOpenInspectionId(
  { db, organizationId }: Tenant,
  taskId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "inspections"
    where "organizationId" = ${organizationId} and "taskId" = ${taskId} and "status" in ('requested', 'scheduled')`.execute(
    db,
  )
  return rows[0]?.id
}

/** Returns the next attempt after an inspection, ignoring canceled attempts. */
export async function findNextAttempt(
  { db, organizationId }: Tenant,
  id: string,
): Promise<InspectionAttempt | undefined> {
  const { rows } = await sql<InspectionAttempt>`
    select "id", "attempt", "status" from "inspections"
    where "organizationId" = ${organizationId} and "previousId" = ${id} and "status" <> 'cancelled'
    order by "id" desc limit 1`.execute(db)
  return rows[0]
}

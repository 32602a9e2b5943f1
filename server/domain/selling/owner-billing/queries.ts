import { sql } from 'kysely'
import type { Application } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { MAX_APPLICATIONS } from './application.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({ schema: 'Application' })

/** Returns the applications of a sale in order, oldest first, except void applications. */
export async function findActiveApplications(call: Tenant, saleId: string): Promise<Application[]> {
  const { db, organizationId } = call
  const { rows } = await sql<{ id: string }>`
    select "id" from "applications"
    where "organizationId" = ${organizationId} and "saleId" = ${saleId} and "status" <> 'void'
    order by "number" limit ${MAX_APPLICATIONS}`.execute(db)
  const ids = rows.map(({ id }) => id)
  return (await findAll(call, ids)).sort((a, b) => a.number - b.number)
}

/** Returns the highest application number of the sale, including void applications; 0 if there are no applications. */
export async function findLastApplicationNumber({ db, organizationId }: Tenant, saleId: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select "number" as "last" from "applications"
    where "organizationId" = ${organizationId} and "saleId" = ${saleId}
    order by "number" desc limit 1`.execute(db)
  return rows[0]?.last ?? 0
}

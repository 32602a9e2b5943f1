import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

const totalOf = (amount: string, statuses: string) => `
  select coalesce(sum(d."${amount}"), 0) from "loanDraws" as d
  where d."organizationId" = t."organizationId" and d."loanId" = t."id" and d."status" in (${statuses})`

const REQUESTED = totalOf('requestedAmount', `'requested', 'approved'`)
const FUNDED = totalOf('fundedAmount', `'funded'`)
const REPAID = totalOf('fundedAmount', `'repaid'`)

export const { list, find, lock, insert, update, archive } = defineResource({
  schema: 'Loan',
  computed: {
    requestedAmount: REQUESTED,
    fundedAmount: FUNDED,
    repaidAmount: REPAID,
    availableAmount: `t."limitAmount" - (${REQUESTED}) - (${FUNDED}) - (${REPAID})`,
  },
})

export const draws = defineResource({ schema: 'LoanDraw' })

/** Returns the highest number of the loan's draws; 0 if there are no draws. */
export async function findLastDrawNumber({ db, organizationId }: Tenant, loanId: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select "number" as "last" from "loanDraws"
    where "organizationId" = ${organizationId} and "loanId" = ${loanId} order by "number" desc limit 1`.execute(db)
  return rows[0]?.last ?? 0
}

/** Returns the total of the home's draws that are funded and not repaid. */
export async function sumFundedDraws({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { rows } = await sql<{ funded: number }>`
    select coalesce(sum("fundedAmount"), 0) as "funded" from "loanDraws"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" = 'funded'`.execute(db)
  return rows[0]?.funded ?? 0
}

/** Returns the number of the milestone's draw, ignoring rejected draws; undefined if there is no such draw. */
export async function findMilestoneDrawNumber(
  { db, organizationId }: Tenant,
  milestoneId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select "number" from "loanDraws"
    where "organizationId" = ${organizationId} and "milestoneId" = ${milestoneId} and "status" <> 'rejected'`.execute(
    db,
  )
  return rows[0]?.number
}

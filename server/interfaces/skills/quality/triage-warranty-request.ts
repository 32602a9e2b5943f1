import { sql } from 'kysely'
import type {
  TriageWarrantyRequestInput,
  TriageWarrantyRequestResult,
  WarrantyRequest,
} from '../../../../client/contract.gen.ts'
import { findWarrantyCoverage } from '../../../domain/quality/warranty-terms/queries.ts'
import type { Call, Tenant } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatCount, formatDate } from '../../../platform/values/format.ts'

export async function triageWarrantyRequest(
  { warrantyRequestId }: TriageWarrantyRequestInput,
  call: Call,
): Promise<TriageWarrantyRequestResult> {
  const request = await call.operation('getWarrantyRequest', { warrantyRequestId })
  const date = toLocalDate(call.timeZone, new Date(request.createdAt))
  const coverage = (await findWarrantyCoverage(call, request, date)) ?? null
  const builtBy = await findBuilders(call, request)
  const similar = await findSimilar(call, request)
  const reasons = [
    coverage === null
      ? `No warranty of the home applied on ${formatDate(date)}.`
      : `${coverage.name} applies until ${formatDate(coverage.endDate)}.`,
    ...(builtBy[0] === undefined ? [] : [`${builtBy[0].vendor} had the order for this trade.`]),
    ...(similar.length === 0 ? [] : [`${formatCount(similar.length, 'similar request')} found.`]),
  ]
  const suggestedDecision = coverage === null ? ('not_covered' as const) : ('covered' as const)
  return { request, coverage, builtBy, similar, suggestedDecision, reasons }
}

async function findBuilders(
  { db, organizationId }: Tenant,
  { homeId, scope }: WarrantyRequest,
): Promise<TriageWarrantyRequestResult['builtBy']> {
  if (scope === null) return []
  const { rows } = await sql<TriageWarrantyRequestResult['builtBy'][number]>`
    select o."vendorId", v."companyName" as "vendor", o."id" as "poId", o."number"
    from "purchaseOrders" as o
    join "vendors" as v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} and lower(o."scope") = lower(${scope})
      and o."poType" in ('base', 'option', 'change') and o."issuedAt" is not null and o."status" <> 'void'
    order by o."id" limit 10`.execute(db)
  return rows
}

async function findSimilar(
  { db, organizationId }: Tenant,
  { id, homeId, planId, scope }: WarrantyRequest,
): Promise<TriageWarrantyRequestResult['similar']> {
  const { rows } = await sql<TriageWarrantyRequestResult['similar'][number]>`
    select "id" as "warrantyRequestId", "number", "homeId", "status", "description" from "warrantyRequests"
    where "organizationId" = ${organizationId} and "id" <> ${id} and ("homeId" = ${homeId} or "planId" = ${planId})
      and (${scope}::text is null or lower("scope") = lower(${scope}))
    order by "id" desc limit 20`.execute(db)
  return rows
}

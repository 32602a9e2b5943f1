import { sql } from 'kysely'
import type { Address } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { formatAddress } from '../../../platform/values/address.ts'
import type { PlaceholderValues } from '../../../platform/values/placeholders.ts'
import type { MailLocale } from './mail-locale.ts'

export async function findVendorValues(
  { db, organizationId }: Tenant,
  id: string,
): Promise<PlaceholderValues | undefined> {
  const { rows } = await sql<PlaceholderValues>`
    select "companyName" as "vendor.companyName" from "vendors"
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  return rows[0]
}

interface HomeRow {
  name: string
  lotNumber: string | null
  address: Address | null
  community: string
}

export async function findHomeValues(
  { db, organizationId }: Tenant,
  id: string,
): Promise<PlaceholderValues | undefined> {
  const { rows } = await sql<HomeRow>`
    select h."name", h."lotNumber", h."address", c."name" as "community" from "homes" as h
    join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = ${organizationId} and h."id" = ${id}`.execute(db)
  const [home] = rows
  if (home === undefined) return undefined
  const { name, lotNumber, address, community } = home
  return {
    ...{ 'home.name': name, 'home.lotNumber': lotNumber ?? 'none', 'home.address': formatAddress(address) ?? name },
    'community.name': community,
  }
}

export async function findBidRequestValues(
  { db, organizationId }: Tenant,
  id: string,
  { language, date }: MailLocale,
): Promise<PlaceholderValues | undefined> {
  const { rows } = await sql<RequestRow>`
    select r."number", r."title", r."scope", r."deadline"::text as "deadline", r."message", s."spanishName"
    from "bidRequests" as r
    left join "scopes" as s on s."organizationId" = r."organizationId" and lower(s."name") = lower(r."scope")
      and s."archivedAt" is null
    where r."organizationId" = ${organizationId} and r."id" = ${id}`.execute(db)
  const [request] = rows
  if (request === undefined) return undefined
  const { number, title, scope, deadline, message, spanishName } = request
  const trade = (language === 'es' ? spanishName : null) ?? scope
  return {
    ...{ 'bidRequest.number': number, 'bidRequest.title': title ?? trade, 'bidRequest.scope': trade },
    ...{ 'bidRequest.deadline': date(deadline), message },
  }
}

interface RequestRow {
  number: string
  title: string | null
  scope: string
  deadline: string
  message: string | null
  spanishName: string | null
}

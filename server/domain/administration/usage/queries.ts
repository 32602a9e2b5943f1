import { sql } from 'kysely'
import type { KeyUsage, UsageDay } from '../../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../../platform/calls/call.ts'

/** The maximum number of keys in a response of the API contract. */
const MAX_KEYS = 200

/** Returns the days since a date on which a key sent requests. If no key is given, includes all keys. */
export async function listUsageDaysSince(
  { db, organizationId }: Tenant,
  since: string,
  keyId: string | undefined,
): Promise<UsageDay[]> {
  let days = db
    .selectFrom('usageDays')
    .select(({ fn }) => [
      'day as date',
      fn.sum<string>('requests').as('requests'),
      fn.sum<string>('refused').as('refused'),
    ])
    .where('organizationId', '=', organizationId)
    .where('day', '>=', since)
    .groupBy('day')
  if (keyId !== undefined) days = days.where('keyId', '=', keyId)
  const rows = await days.execute()
  return rows.map(({ date, requests, refused }) => ({ date, requests: Number(requests), refused: Number(refused) }))
}

/**
 * Returns the keys that are active or have sent requests since a date, busiest first. Includes the number of requests
 * of each key in the current minute.
 */
export async function listKeyUsageSince({ db, organizationId, now }: Call, since: string): Promise<KeyUsage['keys']> {
  const { rows } = await sql<KeyUsage['keys'][number]>`
    with sent as (
      select "keyId", sum("requests")::integer as "requests", sum("refused")::integer as "refused"
      from "usageDays"
      where "organizationId" = ${organizationId} and "day" >= ${since}::date
      group by "keyId"
    )
    select k."id" as "keyId", k."name", k."revokedAt",
      coalesce(s."requests", 0) as "requests", coalesce(s."refused", 0) as "refused",
      coalesce(w."used", 0)::integer as "usedThisMinute", w."endsAt" as "minuteEndsAt"
    from "apiKeys" as k
    left join sent as s on s."keyId" = k."id"
    left join "limitWindows" as w on w."scope" = 'minute:' || k."id" and w."endsAt" > ${now}
    where k."organizationId" = ${organizationId}
      and (s."keyId" is not null
        or (k."revokedAt" is null and (k."expiresAt" is null or k."expiresAt" > ${now})))
    order by coalesce(s."requests", 0) desc, k."name", k."id"
    limit ${MAX_KEYS}`.execute(db)
  return rows
}

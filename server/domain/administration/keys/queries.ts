import type { WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

/** SQL expression for the active secrets of a key. Each secret is identified by its first characters. */
const SECRETS_SQL = `(
  select coalesce(json_agg(json_build_object(
    'start', s."start",
    'createdAt', to_char(s."createdAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'expiresAt', to_char(s."expiresAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by s."createdAt" desc), '[]')
  from "apiKeySecrets" as s
  where s."organizationId" = t."organizationId" and s."keyId" = t."id" and t."revokedAt" is null
    and (s."expiresAt" is null or s."expiresAt" > now()))`

export const { list, find, lock, insert, update } = defineResource({
  schema: 'ApiKey',
  computed: { secrets: SECRETS_SQL },
})

/** Increments the version of a key after its secrets, which are in another table, have changed. */
export async function bumpVersion({ db, organizationId, now }: WriteCall, id: string): Promise<void> {
  await db
    .updateTable('apiKeys')
    .set((set) => ({ version: set('version', '+', 1), updatedAt: now }))
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

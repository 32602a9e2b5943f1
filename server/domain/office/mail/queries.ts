import { sql } from 'kysely'
import type { Mail } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, findAll, make } = defineResource({
  schema: 'Mail',
  long: ['text'],
})

export interface MailRow extends Mail {
  sealedLink: string | null
}

export async function insertMails(call: WriteCall, mails: readonly MailRow[]): Promise<void> {
  if (mails.length === 0) return
  const rows = mails.map((mail) => ({ ...mail, organizationId: call.organizationId }))
  // As one JSON parameter, because a statement can have at most 65,535, and a schedule change may notify hundreds of
  // people.
  await sql`
    insert into "mails" (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::"mails", ${JSON.stringify(rows)}::json)`.execute(call.db)
}

const COLUMNS = sql.join(
  [
    ...['organizationId', 'id', 'kind', 'to', 'subject', 'text', 'vendorId', 'userId', 'aboutId', 'sealedLink'],
    ...['status', 'attempts', 'lastError', 'nextAttemptAt', 'sentAt'],
    ...['version', 'createdBy', 'createdAt', 'updatedAt'],
  ].map((column) => sql.id(column)),
)

/** A mail that this process has claimed. */
export interface ClaimedMail {
  organizationId: string
  builderName: string
  /**
   * The address for replies: that of the user who caused the mail, or else of the first owner; null if the builder has
   * no active owner.
   */
  replyTo: string | null
  id: string
  to: string
  subject: string
  text: string
  sealedLink: string | null
  attempts: number
}

/**
 * Claims due mails of any organization, those that have waited longest first. Skips mails that other processes are
 * claiming. A claim postpones the next attempt, so that the mail is due again if the process ends while sending.
 */
export async function claimMails(db: Db, now: Date, claimedUntil: Date, max: number): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with "due" as (
      select "organizationId", "id" from "mails" where "status" = 'queued' and "nextAttemptAt" <= ${now.toISOString()}
      order by "nextAttemptAt", "id" limit ${max} for no key update skip locked)
    update "mails" as m set "attempts" = m."attempts" + 1, "nextAttemptAt" = ${claimedUntil.toISOString()}
    from "due" join "organizations" as o on o."id" = "due"."organizationId"
    where m."organizationId" = "due"."organizationId" and m."id" = "due"."id"
    returning m."organizationId", o."name" as "builderName", m."id", m."to", m."subject", m."text", m."sealedLink", m."attempts", (
      select u."email" from "users" as u
      where u."organizationId" = m."organizationId" and u."status" = 'active' and not u."isExample"
        and (u."id" = m."createdBy"->>'id' or u."role" = 'owner')
      order by u."id" = m."createdBy"->>'id' desc, u."id" limit 1) as "replyTo"`.execute(db)
  return rows
}

export interface MailAttemptOutcome {
  status: Mail['status']
  lastError: string | null
  nextAttemptAt: Date | null
}

/**
 * Stores the outcome of an attempt, and the delivery status of this recipient on the message that was mailed. A vendor
 * with several addresses counts as reached once one of them is. An expired claim changes nothing.
 */
export async function storeOutcome(
  db: Db,
  { organizationId, id, attempts }: ClaimedMail,
  { status, lastError, nextAttemptAt }: MailAttemptOutcome,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await sql`
    with "mail" as (
      update "mails" set "status" = ${status}, "lastError" = ${lastError}, "nextAttemptAt" = ${nextAttemptAt?.toISOString() ?? null},
        "sentAt" = case when ${status} = 'sent' then ${at}::timestamptz end,
        "sealedLink" = case when ${status} = 'queued' then "sealedLink" end, "version" = "version" + 1, "updatedAt" = ${at}
      where "organizationId" = ${organizationId} and "id" = ${id} and "status" = 'queued' and "attempts" = ${attempts}
      returning "aboutId", coalesce("vendorId", "userId") as "recipientId")
    update "messages" as m set "version" = m."version" + 1, "updatedAt" = ${at}, "recipients" = (
      select jsonb_agg(case when r->>'id' = "mail"."recipientId" and r->>'deliveryStatus' <> 'sent'
        then r || jsonb_build_object('deliveryStatus', ${status}::text) else r end order by "place")
      from jsonb_array_elements(m."recipients") with ordinality as a (r, "place"))
    from "mail" where m."organizationId" = ${organizationId} and m."id" = "mail"."aboutId" and ${status} <> 'queued'`.execute(
    db,
  )
}

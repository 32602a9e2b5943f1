import { sql } from 'kysely'
import type { Mail, VendorLanguage } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, findAll, make } = defineResource({
  schema: 'Mail',
  long: ['text'],
})

export interface MailRow extends Mail {
  homeOwnerId: string | null
  sealedLink: string | null
  /** The attached file, encoded in hexadecimal. */
  attachment: string | null
  /** The token in the address for replies; null if replies go directly to the builder. */
  replyToken: string | null
}

/** Returns the languages of these vendors by ID. Leaves out vendors without a language. */
export async function findVendorLanguages(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<Map<string, VendorLanguage>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; language: VendorLanguage | null }>`
    select "id", "language" from "vendors"
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(ids)]}::text[])`.execute(db)
  return new Map(rows.flatMap(({ id, language }) => (language === null ? [] : [[id, language]])))
}

export async function insertMails(call: WriteCall, mails: readonly MailRow[]): Promise<void> {
  if (mails.length === 0) return
  // Pass the emails as one JSON parameter. A statement can have at most 65,535 parameters, and a schedule change may
  // notify hundreds of recipients.
  await sql`
    insert into "mails" ("organizationId", ${toColumns()})
    select o."id", ${toColumns('m')} from "organizations" as o
    cross join json_populate_recordset(null::"mails", ${JSON.stringify(mails)}::json) as m
    where o."id" = ${call.organizationId}`.execute(call.db)
}

const COLUMNS = [
  ...[
    'id',
    'kind',
    'to',
    'subject',
    'text',
    'attachmentName',
    'vendorId',
    'userId',
    'homeOwnerId',
    'aboutId',
    'sealedLink',
  ],
  ...['attachment', 'replyToken'],
  ...['status', 'attempts', 'lastError', 'nextAttemptAt', 'sentAt'],
  ...['version', 'createdBy', 'createdAt', 'updatedAt'],
]

function toColumns(...alias: string[]) {
  return sql.join(COLUMNS.map((column) => sql.id(...alias, column)))
}

/** An email that this process has claimed. */
export interface ClaimedMail {
  organizationId: string
  builderName: string
  /**
   * The address for replies, which is that of the user who caused the email or, if there is none, of the first owner.
   * Null if the builder has no active owner.
   */
  replyTo: string | null
  id: string
  to: string
  subject: string
  text: string
  attachmentName: string | null
  attachment: Buffer | null
  sealedLink: string | null
  replyToken: string | null
  attempts: number
}

const isMailDue = (now: Date) => sql`"status" = 'queued' and "nextAttemptAt" <= ${now.toISOString()}::timestamptz`

export const toDueMailsSql: DueSql = (now) => sql`select "organizationId" from "mails" where ${isMailDue(now)}`

/**
 * Claims due emails of any organization, longest waiting first, and skips emails that other processes are claiming. A
 * claim postpones the next attempt. If the process ends while it sends an email, the email therefore becomes due again.
 */
export async function claimMails(db: Db, now: Date, claimedUntil: Date, max: number): Promise<ClaimedMail[]> {
  const isDue = isMailDue(now)
  const { rows: due } = await sql<{ organizationId: string; id: string }>`
    select "organizationId", "id" from "mails" where ${isDue} order by "nextAttemptAt", "id" limit ${max}`.execute(db)
  const claimed: ClaimedMail[] = []
  for (const [organizationId, own] of Map.groupBy(due, (mail) => mail.organizationId)) {
    // Skip the rows that another process is claiming.
    const { rows: taken } = await sql<{ id: string }>`
      update "mails" set "attempts" = "attempts" + 1, "nextAttemptAt" = ${claimedUntil.toISOString()}::timestamptz
      where "organizationId" = ${organizationId} and "id" = any(array(
        select "id" from "mails"
        where "organizationId" = ${organizationId} and "id" = any(${own.map(({ id }) => id)}::text[]) and ${isDue}
        order by "id" for no key update skip locked))
      returning "id"`.execute(db)
    const ids = taken.map(({ id }) => id)
    claimed.push(...(await readClaimedMails(db, organizationId, ids)))
  }
  const order = new Map(due.map(({ id }, place) => [id, place]))
  return claimed.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

async function readClaimedMails(db: Db, organizationId: string, ids: readonly string[]): Promise<ClaimedMail[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<ClaimedMail>`
    select m."organizationId", o."name" as "builderName", m."id", m."to", m."subject", m."text", m."attachmentName",
      m."attachment", m."sealedLink", m."replyToken", m."attempts", (
        select u."email" from "users" as u
        where u."organizationId" = ${organizationId} and u."status" = 'active' and not u."isExample"
          and (u."id" = m."createdBy"->>'id' or u."role" = 'owner')
        order by u."id" = m."createdBy"->>'id' desc, u."id" limit 1) as "replyTo"
    from "mails" as m join "organizations" as o on o."id" = m."organizationId"
    where m."organizationId" = ${organizationId} and m."id" = any(${[...ids]}::text[])`.execute(db)
  return rows
}

export interface MailAttemptOutcome {
  status: Mail['status']
  lastError: string | null
  nextAttemptAt: Date | null
}

/**
 * Stores the result of an attempt, and the delivery status of this recipient on the message. A vendor with several
 * addresses counts as reached if one address was reached. Changes nothing if the claim has expired. Call this function
 * in a transaction.
 */
export async function storeMailOutcome(
  db: Db,
  { organizationId, id, attempts }: ClaimedMail,
  { status, lastError, nextAttemptAt }: MailAttemptOutcome,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  // These are two statements, because a distributed database skips a statement, including the parts of its `with`, if
  // a condition such as 'queued' <> 'queued' is always false.
  const { rows } = await sql<{ aboutId: string | null; recipientId: string | null }>`
    update "mails" set "status" = ${status}, "lastError" = ${lastError}, "nextAttemptAt" = ${nextAttemptAt?.toISOString() ?? null},
      "sentAt" = case when ${status} = 'sent' then ${at}::timestamptz end,
      "sealedLink" = case when ${status} = 'queued' then "sealedLink" end,
      "attachment" = case when ${status} = 'queued' then "attachment" end,
      "replyToken" = case when ${status} = 'queued' then "replyToken" end, "version" = "version" + 1, "updatedAt" = ${at}
    where "organizationId" = ${organizationId} and "id" = ${id} and "status" = 'queued' and "attempts" = ${attempts}
    returning "aboutId", coalesce("vendorId", "userId", "homeOwnerId") as "recipientId"`.execute(db)
  const [mail] = rows
  if (mail === undefined || status === 'queued') return
  await sql`
    update "messages" as m set "version" = m."version" + 1, "updatedAt" = ${at}, "recipients" = (
      select jsonb_agg(case when r->>'id' = ${mail.recipientId} and r->>'deliveryStatus' <> 'sent'
        then r || jsonb_build_object('deliveryStatus', ${status}::text) else r end order by "place")
      from jsonb_array_elements(m."recipients") with ordinality as a (r, "place"))
    where m."organizationId" = ${organizationId} and m."id" = ${mail.aboutId}`.execute(db)
}

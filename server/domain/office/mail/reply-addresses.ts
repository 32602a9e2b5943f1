import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import type { InboundMail } from '../../../platform/config/config.ts'
import { BATCH_ROWS, runInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'
import { PLAN_EACH_TIME } from '../../../platform/database/prepared-statements.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

/**
 * The addresses for replies of vendors have the form `<local part>+<token>@<domain>`. Each email has a random token,
 * from which the service determines the invitation or message and the vendor of a reply. Nobody can guess the address.
 */
const TOKEN_BYTES = 16
const TOKEN = /^[0-9a-f]{32}$/

/** The same period as the lifetime of a portal link. */
const KEPT_DAYS = 180
const DAY_MS = 86_400_000

/** The record and the vendor to which replies to an email belong. */
export interface ReplySubject {
  /** The ID of an invitation or a message. */
  subjectId: string
  /** The ID of the vendor to which the email was sent. */
  vendorId: string
}

export interface FoundReplySubject extends ReplySubject {
  organizationId: string
}

/**
 * Creates a token for each email whose replies belong to a record, and stores the hashes. Returns null for all other
 * emails, and for all emails if the deployment does not receive email.
 */
export async function issueReplyTokens(
  { db, organizationId, now, services }: WriteCall,
  subjects: readonly (ReplySubject | null)[],
): Promise<(string | null)[]> {
  if (services.config.inboundMail === null) return subjects.map(() => null)
  const issued = subjects.map((subject) =>
    subject === null ? null : { ...subject, token: randomBytes(TOKEN_BYTES).toString('hex') },
  )
  const stored = issued.filter((each) => each !== null)
  if (stored.length > 0) {
    const rows = stored.map(
      ({ token, subjectId, vendorId }) =>
        sql`(${hashToken(token)}, ${organizationId}, ${subjectId}, ${vendorId}, ${now.toISOString()}::timestamptz)`,
    )
    // Planned each time, because the number of rows differs.
    await sql`
      insert into "mailReplyAddresses" ("hash", "organizationId", "subjectId", "vendorId", "createdAt")
      values ${sql.join(rows)}${sql.raw(PLAN_EACH_TIME)}`.execute(db)
  }
  return issued.map((each) => each?.token ?? null)
}

export function toReplyAddress({ localPart, domain }: InboundMail, token: string): string {
  return `${localPart}+${token}@${domain}`
}

/** Returns the record and the vendor of the first of these addresses that has a known token; null if there is none. */
export async function findReplySubject(
  { database }: Pick<Services, 'database'>,
  inbound: InboundMail,
  addresses: readonly string[],
): Promise<FoundReplySubject | null> {
  for (const address of addresses) {
    const token = readToken(inbound, address)
    if (token === null) continue
    // The query has no condition on the organization, because the token itself identifies one row.
    const { rows } = await sql<FoundReplySubject>`
      select "organizationId", "subjectId", "vendorId" from "mailReplyAddresses"
      where "hash" = ${hashToken(token)} and "vendorId" is not null`.execute(database.statements)
    if (rows[0] !== undefined) return rows[0]
  }
  return null
}

/** Deletes the addresses of old emails. Called by a scheduled job. */
export async function deleteOldReplyAddresses(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS).toISOString()
  const deletion = sql`
    delete from "mailReplyAddresses" where "hash" = any(array(
      select "hash" from "mailReplyAddresses" where "createdAt" < ${keptSince} order by "createdAt" limit ${BATCH_ROWS}))`
  await runInBatches(database, deletion)
}

function readToken({ localPart, domain }: InboundMail, address: string): string | null {
  // Some email programs change the letter case of addresses.
  const [local = '', host] = address.toLowerCase().split('@')
  const prefix = `${localPart}+`.toLowerCase()
  if (host !== domain.toLowerCase() || !local.startsWith(prefix)) return null
  const token = local.slice(prefix.length)
  return TOKEN.test(token) ? token : null
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

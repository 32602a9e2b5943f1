import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import { recordOperatorAct } from '../audit/record.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { notFound, problem } from '../http/problem.ts'

/** The API is open to organizations on pro_plus. */
export const TIERS = ['standard', 'pro_plus'] as const

export interface NewOrganization {
  name: string
  ownerEmail: string
  ownerName: string
  tier?: string
  currency?: string
  timeZone?: string
  poApprovalLimit?: number | null
  /** How many organizations the deployment admits. */
  most: number
}

/**
 * Creates a builder and its owner. Throws `beta_full` if the deployment has as many as it admits; creations are
 * serialized, so that only one of two concurrent ones gets the last place.
 */
export async function createOrganization(database: Database, clock: Clock, wanted: NewOrganization) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(74185003)`.execute(trx)
    const { count } = await trx
      .selectFrom('organizations')
      .select((query) => query.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= wanted.most) throw problem('beta_full', `This deployment admits ${wanted.most} organizations.`)
    const organization = await trx
      .insertInto('organizations')
      .values({
        id: typeid('org').toString(),
        name: wanted.name,
        tier: wanted.tier ?? 'pro_plus',
        currency: wanted.currency ?? 'USD',
        timeZone: wanted.timeZone ?? 'America/Chicago',
        createdAt: now,
        updatedAt: now,
      })
      .returning(['id', 'name', 'tier', 'currency', 'timeZone', 'createdAt'])
      .executeTakeFirstOrThrow()
    const owner = await trx
      .insertInto('users')
      .values({
        organizationId: organization.id,
        id: typeid('usr').toString(),
        email: wanted.ownerEmail,
        name: wanted.ownerName,
        role: 'owner',
        poApprovalLimit: wanted.poApprovalLimit ?? null,
        createdAt: now,
        updatedAt: now,
      })
      .returning(['id', 'email', 'name', 'role', 'poApprovalLimit'])
      .executeTakeFirstOrThrow()
    const act = { organizationId: organization.id, at: now }
    await recordOperatorAct(trx, { ...act, action: 'organization.created', resourceId: organization.id })
    await recordOperatorAct(trx, { ...act, action: 'user.created', resourceId: owner.id })
    return { organization, owner }
  })
}

export async function listOrganizations(database: Database) {
  return database.statements
    .selectFrom('organizations')
    .select(['id', 'name', 'tier', 'currency', 'timeZone', 'createdAt', 'updatedAt'])
    .orderBy('id')
    .execute()
}

/** Throws `not_found`. Fields left out stay as they are; a new tier applies to every key within a second. */
export async function updateOrganization(
  database: Database,
  clock: Clock,
  id: string,
  changes: { name?: string | undefined; tier?: string | undefined; timeZone?: string | undefined },
) {
  const at = clock.now()
  return database.transaction(async (trx) => {
    const organization = await trx
      .updateTable('organizations')
      .set({ ...changes, updatedAt: at })
      .where('id', '=', id)
      .returning(['id', 'name', 'tier', 'currency', 'timeZone', 'createdAt', 'updatedAt'])
      .executeTakeFirst()
    if (organization === undefined) throw notFound()
    const changed = Object.keys(changes).filter((name) => changes[name as keyof typeof changes] !== undefined)
    const act = { organizationId: id, at, resourceId: id, changed }
    await recordOperatorAct(trx, { ...act, action: 'organization.updated' })
    return organization
  })
}

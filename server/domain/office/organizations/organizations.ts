import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { OvertimeRule } from '../../../../client/contract.gen.ts'
import {
  type NewEntry,
  recordAuditEntries,
  recordOperatorAction,
} from '../../../platform/audit/record-audit-entries.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Database, Db } from '../../../platform/database/database.ts'
import { notFound, problem } from '../../../platform/problems/problem.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'
import { insertInitialTemplates } from '../message-templates/queries.ts'
import { insertInitialWarrantyTerms } from './initial-warranty-terms.ts'

/** Only organizations with the tier pro_plus can use the API. */
export const TIERS = ['standard', 'pro_plus'] as const

export interface NewOrganization {
  name: string
  ownerEmail: string
  ownerName: string
  tier?: string
  currency?: string
  timeZone?: string
  poApprovalLimit?: number | null
  /** The maximum number of organizations in the deployment. */
  most: number
}

/**
 * Creates a builder and its owner. Throws `beta_full` if the deployment already has the maximum number of
 * organizations. Organizations are created one at a time, so that two concurrent calls cannot exceed the maximum.
 */
export async function createOrganization(database: Database, clock: Clock, requested: NewOrganization) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(74185003)`.execute(trx)
    const { count } = await trx
      .selectFrom('organizations')
      .select((query) => query.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= requested.most)
      throw problem('beta_full', `This deployment already has ${requested.most} organizations, the maximum.`)
    const organization = await trx
      .insertInto('organizations')
      .values({
        id: typeid('org').toString(),
        name: requested.name,
        tier: requested.tier ?? 'pro_plus',
        currency: requested.currency ?? 'USD',
        timeZone: requested.timeZone ?? 'America/Chicago',
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
        email: requested.ownerEmail,
        name: requested.ownerName,
        role: 'owner',
        poApprovalLimit: requested.poApprovalLimit ?? null,
        createdAt: now,
        updatedAt: now,
      })
      .returning(['id', 'email', 'name', 'role', 'poApprovalLimit'])
      .executeTakeFirstOrThrow()
    await insertInitialTemplates(trx, organization.id, now)
    await insertInitialWarrantyTerms(trx, organization.id, now)
    const act = { organizationId: organization.id, at: now }
    await recordOperatorAction(trx, { ...act, action: 'organization.created', resourceId: organization.id })
    await recordOperatorAction(trx, { ...act, action: 'user.created', resourceId: owner.id })
    return { organization, owner }
  })
}

const ORGANIZATION_FIELDS = [
  ...(['id', 'name', 'phone', 'tier', 'currency', 'timeZone', 'weekStartsOn', 'overtimeRule', 'poTerms'] as const),
  ...(['salePipelineStages', 'lienWaiverRequired', 'withholdsBackupTax'] as const),
  ...(['billSecondPerson', 'usesDataDate', 'version', 'createdAt', 'updatedAt'] as const),
]

/** Returns the settings of an organization; undefined if the organization does not exist. */
export async function findOrganizationRow(db: Db, id: string) {
  return db.selectFrom('organizations').select(ORGANIZATION_FIELDS).where('id', '=', id).executeTakeFirst()
}

/** Throws `not_found` if the organization is unknown. Otherwise, it would look like an organization without records. */
export async function requireOrganization(db: Db, id: string): Promise<void> {
  if ((await findOrganizationRow(db, id)) === undefined)
    throw problem('not_found', `Unknown organization "${id}". Run "organizations list" for their IDs.`)
}

export async function listOrganizations(database: Database) {
  return database.statements.selectFrom('organizations').select(ORGANIZATION_FIELDS).orderBy('id').execute()
}

export interface OrganizationChanges {
  name?: string | undefined
  /** The phone number of the office, which vendors see; null if there is none. */
  phone?: string | null | undefined
  tier?: string | undefined
  timeZone?: string | undefined
  /** The first day of the week, from 1 (Monday) to 7 (Sunday). */
  weekStartsOn?: number | undefined
  /** The text at the end of the organization's order documents; null if there is none. */
  poTerms?: string | null | undefined
  /** Whether payments require a lien waiver. A vendor or an order can override this setting. */
  lienWaiverRequired?: boolean | undefined
  /** Whether tax is withheld from vendors without a tax ID after their payments reach the threshold of Form 1099. */
  withholdsBackupTax?: boolean | undefined
  /** Whether a bill must be approved by a person other than its creator. */
  billSecondPerson?: boolean | undefined
  usesDataDate?: boolean | undefined
  /** The changed fields of the overtime rule. */
  overtimeRule?: Partial<OvertimeRule> | undefined
  /** The stages of sales that are created after this change. */
  salePipelineStages?: string[] | undefined
}

/** The author of the change. Defaults to an operator. */
interface ChangeContext {
  by?: Pick<NewEntry, 'actor' | 'address' | 'requestId'>
  /** The expected current version of the organization. */
  ifMatch?: string | undefined
}

/**
 * Updates an organization. Omitted fields keep their values. A new tier applies to all keys within a second. A new
 * overtime rule applies to all weeks that change or are submitted afterward. Throws `not_found` if the organization is
 * unknown, and `precondition_failed` if its version is different from `ifMatch`.
 */
export async function updateOrganization(
  database: Database,
  clock: Clock,
  id: string,
  { overtimeRule, ...changes }: OrganizationChanges,
  { by = { actor: { type: 'operator', id: null } }, ifMatch }: ChangeContext = {},
) {
  const at = clock.now()
  return database.transaction(async (trx) => {
    const before = await trx
      .selectFrom('organizations')
      .select(['id', 'version'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (before === undefined) throw notFound()
    assertIfMatch(ifMatch, before)
    const rule = overtimeRule && { overtimeRule: sql<string>`"overtimeRule" || ${JSON.stringify(overtimeRule)}::jsonb` }
    const organization = await trx
      .updateTable('organizations')
      .set((set) => ({ ...changes, ...rule, version: set('version', '+', 1), updatedAt: at }))
      .where('id', '=', id)
      .returning(ORGANIZATION_FIELDS)
      .executeTakeFirstOrThrow()
    const changed = Object.entries({ ...changes, overtimeRule }).flatMap(([name, to]) => (to === undefined ? [] : name))
    const entry = { organizationId: id, at, resourceId: id, changed, action: 'organization.updated' }
    await recordAuditEntries(trx, [{ ...entry, ...by }])
    return organization
  })
}

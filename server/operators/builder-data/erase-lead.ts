import { type RawBuilder, sql } from 'kysely'
import { formatLeadName } from '../../domain/selling/leads/lead.ts'
import { notFound, validationFailed } from '../../platform/problems/problem.ts'
import { waitUntilIndexed } from '../../platform/search/index-changes.ts'
import {
  addCounts,
  archiveMatchingOwners,
  type ErasedPerson,
  type EraseParts,
  listContactIdentityMarks,
  replaceMarksInArchives,
  replaceMarksInTables,
} from './erase-person.ts'
import { NEUTRAL_TEXTS, toIdentityMark } from './identity-marks.ts'

const [FIRST, LAST] = NEUTRAL_TEXTS.name.split(' ')

/**
 * Erases a lead. First and last names are stored separately and are too common to search for everywhere, so they are
 * replaced only in the lead and in its own events.
 */
export async function eraseLead(
  { database, clock, config }: EraseParts,
  id: string,
  { confirm, also }: { confirm: string; also: readonly string[] },
): Promise<ErasedPerson> {
  const lead = await database.statements
    .selectFrom('leads')
    .select(['organizationId', 'firstName', 'lastName', 'email', 'phone'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (lead === undefined) throw notFound()
  const { organizationId, firstName, lastName, email, phone } = lead
  if (formatLeadName(lead) !== confirm)
    throw validationFailed([{ pointer: '--confirm', code: 'mismatch', message: 'must be the name of the lead' }])
  const name = [firstName, lastName].filter((part) => part !== null).join(' ') || null
  const isErased = name === NEUTRAL_TEXTS.name
  if (!isErased) {
    const homeIds = await listHomesOfLead({ database }, organizationId, id)
    await archiveMatchingOwners({ database, clock }, { organizationId, homeIds }, [{ name, email }])
  }
  const marks = [
    ...(isErased ? [] : listContactIdentityMarks({ name, email, phone })),
    ...also.map((text) => toIdentityMark(text)),
  ]
  const sweeping = { database, clock, config, organizationId, marks }
  const changed = await replaceMarksInTables(sweeping, (table) => table !== 'leads' && table !== 'users')
  addCounts(changed, {
    events: await database.transaction((trx) => eraseNames(organizationId, id).execute(trx).then(affectedRows)),
  })
  const own = sql`(l."line"::json->>'kind' = 'event' and l."line"::json #>> '{data,data,object,id}' = ${id})`
  addCounts(changed, await replaceMarksInArchives(sweeping, { where: own, replaced: replaceNames }))
  // Changes the lead's row last, because a repeated run after an interruption needs its values.
  await database.statements
    .updateTable('leads')
    .set((eb) => ({
      ...{ firstName: FIRST, lastName: LAST, email: null, phone: null },
      ...{ version: eb('version', '+', 1), updatedAt: clock.now() },
    }))
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
  addCounts(changed, { leads: 1 })
  addCounts(changed, await replaceMarksInTables(sweeping, (table) => table !== 'users'))
  await waitUntilIndexed(database, organizationId)
  return { organizationId, id, changed }
}

/** Returns the homes that were sold to the lead, including those of canceled sales. */
async function listHomesOfLead(
  { database }: Pick<EraseParts, 'database'>,
  organizationId: string,
  leadId: string,
): Promise<string[]> {
  const { rows } = await sql<{ homeId: string }>`
    select distinct "homeId" from "sales"
    where "organizationId" = ${organizationId} and "leadId" = ${leadId} and "homeId" is not null`.execute(
    database.statements,
  )
  return rows.map(({ homeId }) => homeId)
}

// Returns SQL that replaces the names in a stored event. The event is stored as JSON without spaces and may contain an
// earlier name among the previous values.
function eraseNames(organizationId: string, id: string) {
  const payload = replaceNames(sql.ref('payload'))
  return sql`
    update "events" set "payload" = ${payload}
    where "organizationId" = ${organizationId} and "resourceId" = ${id}`
}

function replaceNames(text: RawBuilder<unknown>): RawBuilder<unknown> {
  const first = String.raw`"firstName":"(\\.|[^"\\])*"`
  const last = String.raw`"lastName":"(\\.|[^"\\])*"`
  return sql`regexp_replace(regexp_replace(${text},
    ${first}, ${`"firstName":"${FIRST}"`}, 'g'), ${last}, ${`"lastName":"${LAST}"`}, 'g')`
}

function affectedRows({ numAffectedRows = 0n }: { numAffectedRows?: bigint }): number {
  return Number(numAffectedRows)
}

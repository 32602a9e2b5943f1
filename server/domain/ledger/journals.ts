import { sql } from 'kysely'
import type { Journal, JournalLine, JournalReversal, JournalType } from '../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { conflict, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { defineResource } from '../../platform/resources/resource.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { subtract, sum } from '../../platform/values/money.ts'
import * as homes from '../land/homes/queries.ts'
import * as scopes from '../vendors/scopes/queries.ts'
import type { NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

export const { list, find, findAll, findOptional, lock, make, insertAll, update } = defineResource({
  schema: 'Journal',
  long: ['lines'],
})

/** A line as the client sent it, with the JSON pointers of its fields. */
interface AskedLine extends JournalLine {
  pointers: { homeId: string; scope: string; costCodeId: string; amount: string }
}

export async function createJournal(call: WriteCall, body: Checked['JournalCreate']): Promise<Journal> {
  const lines = body.lines.map((line, i): AskedLine => {
    const at = `/lines/${i}`
    const pointers = {
      ...{ homeId: `${at}/homeId`, scope: `${at}/scope`, costCodeId: `${at}/costCodeId`, amount: `${at}/amount` },
    }
    return { ...line, pointers }
  })
  const zero = lines.filter(({ amount }) => amount === 0)
  if (zero.length > 0)
    throw validationFailed(
      zero.map(({ pointers }) => ({ pointer: pointers.amount, code: 'minimum', message: 'must not be zero' })),
    )
  return post(call, 'journal', { ...body, lines: await resolveLines(call, lines) })
}

export async function transferCost(call: WriteCall, body: Checked['CostTransfer']): Promise<Journal> {
  const { fromHomeId, fromScope, fromCostCodeId, toHomeId, toScope, toCostCodeId, amount } = body
  if (amount === 0) throw validationFailed([{ pointer: '/amount', code: 'minimum', message: 'must be greater than 0' }])
  const side = (name: 'from' | 'to') => ({
    ...{ homeId: `/${name}HomeId`, scope: `/${name}Scope`, costCodeId: `/${name}CostCodeId`, amount: '/amount' },
  })
  const lines = await resolveLines(call, [
    {
      homeId: fromHomeId,
      scope: fromScope,
      costCodeId: fromCostCodeId,
      amount: subtract(0, amount),
      pointers: side('from'),
    },
    { homeId: toHomeId, scope: toScope, costCodeId: toCostCodeId, amount, pointers: side('to') },
  ])
  const [from, to] = lines
  if (from?.homeId === to?.homeId && from?.scope === to?.scope && from?.costCodeId === to?.costCodeId)
    throw validationFailed([
      {
        pointer: '/toHomeId',
        code: 'itself',
        message: 'must not be the same as fromHomeId unless the trade or the cost code differs',
      },
    ])
  return post(call, 'transfer', { ...body, lines, amount })
}

export async function reverseJournal(
  call: WriteCall,
  id: string,
  { reason, effectiveDate }: JournalReversal,
): Promise<Journal> {
  const journal = await lock(call, id)
  const { number, journalType, reversedByEntryId } = journal
  if (journalType === 'reversal')
    throw conflict('not_suitable', `Cannot reverse ${number}: it is a reversal. Create a journal instead.`)
  if (reversedByEntryId !== null) throw conflict('already_done', `Cannot reverse ${number}: it is already reversed.`)
  if (effectiveDate !== undefined && effectiveDate < journal.effectiveDate)
    throw validationFailed([
      { pointer: '/effectiveDate', code: 'minimum', message: `must not be before ${journal.effectiveDate}` },
    ])
  const lines = journal.lines.map((line) => ({ ...line, amount: subtract(0, line.amount) }))
  const reversal = await post(call, 'reversal', {
    ...{ note: reason, effectiveDate, lines, reversesEntryId: id },
    amount: subtract(0, journal.amount),
  })
  await update(call, journal, { reversedByEntryId: reversal.id })
  return reversal
}

/**
 * Returns the lines with the organization's spelling of their trades. If references are unknown, the error lists all of
 * them.
 */
async function resolveLines(call: WriteCall, lines: readonly AskedLine[]): Promise<JournalLine[]> {
  const homeIds = [...new Set(lines.map(({ homeId }) => homeId))]
  const knownHomes = new Set((await homes.findAll(call, homeIds)).map(({ id }) => id))
  const knownCodes = await findCostCodesAmong(
    call,
    lines.flatMap(({ costCodeId }) => costCodeId ?? []),
  )
  const trades = await scopes.findCanonicalTradeNames(
    call,
    lines.flatMap(({ scope }) => scope ?? []),
  )
  const unknown = lines.flatMap(({ homeId, scope, costCodeId, pointers }) => [
    ...(knownHomes.has(homeId) ? [] : [pointers.homeId]),
    ...(scope === null || trades.has(scope) ? [] : [pointers.scope]),
    ...(costCodeId === null || knownCodes.has(costCodeId) ? [] : [pointers.costCodeId]),
  ])
  if (unknown.length > 0) throw unknownReference(unknown)
  return lines.map(({ homeId, scope, costCodeId, amount }) => ({
    ...{ homeId, costCodeId, amount },
    scope: scope === null ? null : (trades.get(scope) ?? scope),
  }))
}

async function findCostCodesAmong({ db, organizationId }: Tenant, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select "id" from "costCodes" where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

interface Draft {
  note: string
  effectiveDate?: string | undefined
  lines: JournalLine[]
  /** The amount of the journal. Defaults to the sum of its lines. */
  amount?: number
  reversesEntryId?: string
}

async function post(call: WriteCall, journalType: JournalType, draft: Draft): Promise<Journal> {
  const today = toLocalDate(call.timeZone, call.now)
  const { note, lines, effectiveDate = today, reversesEntryId = null } = draft
  if (effectiveDate > today)
    throw validationFailed([
      { pointer: '/effectiveDate', code: 'maximum', message: `must not be after today (${today})` },
    ])
  const created = make(call, {
    ...{ number: await takeNextNumber(call), journalType, effectiveDate, note, lines, currency: call.currency },
    ...{ amount: draft.amount ?? sum(lines.map(({ amount }) => amount)), reversesEntryId },
  })
  const postings = lines.flatMap((line): NewPosting[] => [
    { ...line, measure: 'cost', effectiveDate },
    { ...line, measure: 'other', effectiveDate },
  ])
  await recordPostings(call, { entryId: created.id, postings, reversesEntryId })
  await insertAll(call, [created])
  return find(call, created.id)
}

/**
 * Returns the next journal number of the organization. The counter row stays locked until the transaction ends, so
 * concurrent calls that create journals wait.
 */
async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "journalNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `JE-${String(rows[0]?.last).padStart(4, '0')}`
}

import type { MatchBy, Vendor, VendorRow } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { makeEvent, recordEvents } from '../../../platform/events/record.ts'
import { conflict, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import type { Changed } from '../../../platform/resources/resource.ts'
import { keysOf, known, lockKeyed, meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import { saidThere } from '../../statuses/ledger-states.ts'
import * as scopes from '../scopes/queries.ts'
import * as vendors from './queries.ts'
import { replaceLinks } from './replace-links.ts'
import { findForbiddenReroutes, rerouteDenied } from './reroute.ts'
import { keepTaxIds, lastOf, taxIdsOf } from './tax-id.ts'
import { changesOf, newVendor } from './vendor.ts'

/** Syncs vendors from an external system. Each row is treated like a call of createVendor or updateVendor. */
export function vendorSync(match: MatchBy, createScopes?: boolean): Sync<'VendorRow', Vendor> {
  /** The vendors' tax IDs, which are not part of their visible fields. */
  const taxIds = new Map<string, string | null>()

  return {
    schema: 'VendorRow',
    ...saidThere('vendor', match),
    keysOf,

    async decide(call, rows) {
      const ids = await lockKeyed(call, 'vendors', ['accountingId', 'externalId'], rows)
      const meant = meantBy(rows, await vendors.findAll(call, ids), match)
      const read = await surroundings(call, rows, meant, createScopes)
      const outcomes = rows.map((row, i) => refusedAs(() => outcomeOf(call, row, meant[i] ?? null, read, taxIds)))
      return withoutForbiddenReroutes(call, outcomes)
    },

    async insertAll(call, made) {
      await vendors.insertAll(call, made)
      await keepTaxIds(call, ofThese(taxIds, made))
      await recordEvents(
        call,
        made.map((vendor) => makeEvent(call, 'vendor.created', vendor)),
      )
    },

    async updateAll(call, changed) {
      await vendors.updateAll(call, changed)
      const after = changed.map((each) => each.after)
      await keepTaxIds(call, ofThese(taxIds, after))
      const retimed = changed.filter(
        ({ before, after }) => before.notificationPreferences !== after.notificationPreferences,
      )
      await vendors.retimeNotices(call, ...retimed.map(({ after }) => after.id))
      await recordEvents(
        call,
        changed.map((each) => makeEvent(call, 'vendor.updated', stored(call, each), each.before)),
      )
      await replaceLinks(call, changed)
    },
  }
}

interface Read {
  trades: scopes.Trades
  communityIds: ReadonlySet<string>
  taxIds: ReadonlyMap<string, string>
}

/** Reads everything that the rows refer to, for all rows at once. */
async function surroundings(
  call: WriteCall,
  rows: readonly AskedRow<VendorRow>[],
  meant: readonly (Vendor | Problem | null)[],
  createScopes: boolean | undefined,
): Promise<Read> {
  const names = rows.flatMap(({ values }) => values.scopes ?? [])
  const taxed = rows.flatMap(({ values }, i) => {
    const before = meant[i]
    return values.taxId === undefined || before == null || before instanceof Problem ? [] : before.id
  })
  return {
    trades: await scopes.trades(call, names, createScopes),
    communityIds: await known(
      call,
      'communities',
      rows.flatMap(({ values }) => values.communityIds ?? []),
    ),
    taxIds: await taxIdsOf(call, taxed),
  }
}

function outcomeOf(
  call: WriteCall,
  { values: { id: _id, ...values } }: AskedRow<VendorRow>,
  before: Vendor | Problem | null,
  read: Read,
  taxIds: Map<string, string | null>,
): Outcome<Vendor> | Problem {
  if (before instanceof Problem) return before
  const unknown = (values.communityIds ?? []).flatMap((id, i) =>
    read.communityIds.has(id) ? [] : `/communityIds/${i}`,
  )
  if (unknown.length > 0) return unknownReference(unknown)
  const { scopes: given } = values
  const listed = (given ?? []).map((name, i) => ({ pointer: `/scopes/${i}`, name }))
  const refusal = scopes.refusal(call, read.trades, listed)
  if (refusal !== null) return refusal
  const named = { ...values, ...(given !== undefined && { scopes: spelledAs(given, read.trades.spelled) }) }
  if (before === null) {
    const { taxId = null, ...whole } = rowChecker(call, 'VendorCreate')(named)
    const made = vendors.make(call, { ...newVendor(whole), taxIdLast4: lastOf(taxId) })
    if (taxId !== null) taxIds.set(made.id, taxId)
    return { id: made.id, made, changed: [] }
  }
  const { status = before.status, ...rest } = named
  if (status !== before.status) {
    const pointed = [{ pointer: '/status', code: 'fixed', message: 'cannot be changed here; use changeVendorStatus' }]
    return conflict(
      'wrong_status',
      `Cannot change the status of ${before.companyName} in a sync. Use changeVendorStatus.`,
      { errors: pointed },
    )
  }
  const after: Vendor = { ...before, ...changesOf(before, rest) }
  const isOther = rest.taxId !== undefined && rest.taxId !== (read.taxIds.get(before.id) ?? null)
  if (isOther) taxIds.set(before.id, rest.taxId ?? null)
  return { id: before.id, made: null, changed: [{ before, after, hidden: isOther ? ['taxId'] : [] }] }
}

/** Returns the outcomes, with a problem for each row that adds an email address without the required permission. */
async function withoutForbiddenReroutes(
  call: WriteCall,
  outcomes: readonly (Outcome<Vendor> | Problem)[],
): Promise<(Outcome<Vendor> | Problem)[]> {
  const changes = outcomes.flatMap((outcome) => (outcome instanceof Problem ? [] : outcome.changed))
  const forbidden = await findForbiddenReroutes(call, changes)
  return outcomes.map((outcome) => {
    if (outcome instanceof Problem) return outcome
    const found = outcome.changed.find(({ before }) => forbidden.has(before.id))
    return found === undefined ? outcome : rerouteDenied(found.before)
  })
}

/** Returns the names in the organization's spelling, without duplicates. */
function spelledAs(names: readonly string[], spelled: ReadonlyMap<string, string>): string[] {
  return [...new Set(names.map((name) => spelled.get(name) ?? name))]
}

function ofThese(taxIds: ReadonlyMap<string, string | null>, those: readonly Vendor[]): Map<string, string | null> {
  return new Map(those.flatMap(({ id }) => (taxIds.has(id) ? [[id, taxIds.get(id) ?? null] as const] : [])))
}

/** Returns the vendor as it is after the update, which increments its version. */
function stored(call: WriteCall, { before, after }: Changed<Vendor>): Vendor {
  return { ...after, version: before.version + 1, updatedAt: call.now.toISOString() }
}

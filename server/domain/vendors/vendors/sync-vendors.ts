import type { MatchBy, Vendor, VendorRow } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { conflict, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import type { RowChange } from '../../../platform/resources/resource.ts'
import { findKnownIds, getRowKeys, lockRecordsByKey, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { createAcknowledgeStep } from '../../statuses/ledger-states.ts'
import * as scopes from '../scopes/queries.ts'
import * as vendors from './queries.ts'
import { replaceVendorLinks } from './replace-vendor-links.ts'
import { createRerouteProblem, findForbiddenReroutes } from './reroute-guards.ts'
import { findTaxIds, getLastFourCharacters, storeTaxIds } from './tax-id.ts'
import { buildVendor, toVendorChanges } from './vendor.ts'

/** Syncs vendors from an external system. Handles each row like a call to createVendor or updateVendor. */
export function defineVendorSync(match: MatchBy, createScopes?: boolean): SyncDefinition<'VendorRow', Vendor> {
  /** The tax IDs of the vendors, which are stored separately. */
  const taxIds = new Map<string, string | null>()

  return {
    schema: 'VendorRow',
    ...createAcknowledgeStep('vendor', match),
    keysOf: getRowKeys,

    async decide(call, rows) {
      const ids = await lockRecordsByKey(call, 'vendors', ['accountingId', 'externalId'], rows)
      const meant = matchRowsByKey(rows, await vendors.findAll(call, ids), match)
      const read = await readRowReferences(call, rows, meant, createScopes)
      const outcomes = rows.map((row, i) => catchProblem(() => planRow(call, row, meant[i] ?? null, read, taxIds)))
      return refuseForbiddenReroutes(call, outcomes)
    },

    async insertAll(call, created) {
      await vendors.insertAll(call, created)
      await storeTaxIds(call, selectTaxIds(taxIds, created))
      await recordEvents(
        call,
        created.map((vendor) => buildEvent(call, 'vendor.created', vendor)),
      )
    },

    async updateAll(call, changed) {
      await vendors.updateAll(call, changed)
      const after = changed.map((each) => each.after)
      await storeTaxIds(call, selectTaxIds(taxIds, after))
      const retimed = changed.filter(
        ({ before, after }) => before.notificationPreferences !== after.notificationPreferences,
      )
      await vendors.recalculateNoticeTimes(call, ...retimed.map(({ after }) => after.id))
      await recordEvents(
        call,
        changed.map((each) => buildEvent(call, 'vendor.updated', toStoredVendor(call, each), each.before)),
      )
      await replaceVendorLinks(call, changed)
    },
  }
}

interface RowReferences {
  trades: scopes.ResolvedTrades
  communityIds: ReadonlySet<string>
  taxIds: ReadonlyMap<string, string>
}

/** Reads all records to which the rows refer, with the same statements for all rows. */
async function readRowReferences(
  call: WriteCall,
  rows: readonly SyncRow<VendorRow>[],
  meant: readonly (Vendor | Problem | null)[],
  createScopes: boolean | undefined,
): Promise<RowReferences> {
  const names = rows.flatMap(({ values }) => values.scopes ?? [])
  const taxed = rows.flatMap(({ values }, i) => {
    const before = meant[i]
    return values.taxId === undefined || before == null || before instanceof Problem ? [] : before.id
  })
  return {
    trades: await scopes.findOrCreateTrades(call, names, createScopes),
    communityIds: await findKnownIds(
      call,
      'communities',
      rows.flatMap(({ values }) => values.communityIds ?? []),
    ),
    taxIds: await findTaxIds(call, taxed),
  }
}

function planRow(
  call: WriteCall,
  { values: { id: _id, ...values } }: SyncRow<VendorRow>,
  before: Vendor | Problem | null,
  read: RowReferences,
  taxIds: Map<string, string | null>,
): PlannedWrite<Vendor> | Problem {
  if (before instanceof Problem) return before
  const unknown = (values.communityIds ?? []).flatMap((id, i) =>
    read.communityIds.has(id) ? [] : `/communityIds/${i}`,
  )
  if (unknown.length > 0) return unknownReference(unknown)
  const { scopes: provided } = values
  const listed = (provided ?? []).map((name, i) => ({ pointer: `/scopes/${i}`, name }))
  const problem = scopes.findTradeProblem(call, read.trades, listed)
  if (problem !== null) return problem
  const named = {
    ...values,
    ...(provided !== undefined && { scopes: toCanonicalNames(provided, read.trades.spelled) }),
  }
  if (before === null) {
    const { taxId = null, ...whole } = createRowChecker(call, 'VendorCreate')(named)
    const made = vendors.make(call, { ...buildVendor(whole), taxIdLast4: getLastFourCharacters(taxId) })
    if (taxId !== null) taxIds.set(made.id, taxId)
    return { id: made.id, made, changed: [] }
  }
  const { status = before.status, ...rest } = named
  if (status !== before.status) {
    const pointed = [{ pointer: '/status', code: 'fixed', message: 'cannot be changed here; use changeVendorStatus' }]
    return conflict(
      'wrong_status',
      `Cannot change the status of ${before.companyName} in a sync. Change it with changeVendorStatus instead.`,
      { errors: pointed },
    )
  }
  const after: Vendor = { ...before, ...toVendorChanges(before, rest) }
  const isOther = rest.taxId !== undefined && rest.taxId !== (read.taxIds.get(before.id) ?? null)
  if (isOther) taxIds.set(before.id, rest.taxId ?? null)
  return { id: before.id, made: null, changed: [{ before, after, hidden: isOther ? ['taxId'] : [] }] }
}

/** Returns the results. If a row adds an email address without the required permission, its result is a problem. */
async function refuseForbiddenReroutes(
  call: WriteCall,
  outcomes: readonly (PlannedWrite<Vendor> | Problem)[],
): Promise<(PlannedWrite<Vendor> | Problem)[]> {
  const changes = outcomes.flatMap((outcome) => (outcome instanceof Problem ? [] : outcome.changed))
  const forbidden = await findForbiddenReroutes(call, changes)
  return outcomes.map((outcome) => {
    if (outcome instanceof Problem) return outcome
    const found = outcome.changed.find(({ before }) => forbidden.has(before.id))
    return found === undefined ? outcome : createRerouteProblem(found.before)
  })
}

/** Returns the names in the organization's spelling, without duplicates. */
function toCanonicalNames(names: readonly string[], spelled: ReadonlyMap<string, string>): string[] {
  return [...new Set(names.map((name) => spelled.get(name) ?? name))]
}

function selectTaxIds(
  taxIds: ReadonlyMap<string, string | null>,
  those: readonly Vendor[],
): Map<string, string | null> {
  return new Map(those.flatMap(({ id }) => (taxIds.has(id) ? [[id, taxIds.get(id) ?? null] as const] : [])))
}

/** Returns the vendor as it will be after the update, with an incremented version. */
function toStoredVendor(call: WriteCall, { before, after }: RowChange<Vendor>): Vendor {
  return { ...after, version: before.version + 1, updatedAt: call.now.toISOString() }
}

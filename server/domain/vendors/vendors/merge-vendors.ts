import type { Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { revokeVendorLinks } from '../../../platform/keys/portal-links.ts'
import { conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import * as merging from './merge-queries.ts'
import { recordVendorUpdate } from './operations.ts'
import * as vendors from './queries.ts'
import { assertCanReroute } from './reroute-guards.ts'

/**
 * The limit exists because each moved record is written, added to the audit trail, and locked until the transaction
 * ends.
 */
const MAX_RECORDS = 5000
const MAX_NAMED = 5

export interface MergeResult {
  vendor: Vendor
  merged: Vendor
  moved: { kind: string; count: number }[]
  stayed: { kind: string; count: number }[]
  archivedPrices: number
  warnings: string[]
}

/**
 * Merges two vendors that are the same company. Locks both vendors in the order of their IDs, so that concurrent merges
 * cannot deadlock. If compliance documents were moved, the caller must update the vendor's compliance status.
 */
export async function mergeVendors(call: WriteCall, pair: merging.VendorPair): Promise<MergeResult> {
  const { keepId, mergeId } = pair
  if (keepId === mergeId)
    throw validationFailed([{ pointer: '/mergeId', code: 'itself', message: 'must be a different vendor' }])
  const locked = new Map<string, Vendor>()
  for (const id of [keepId, mergeId].sort()) locked.set(id, await vendors.lock(call, id))
  const [keep, other] = [locked.get(keepId), locked.get(mergeId)]
  if (keep === undefined || other === undefined) throw new Error('Expected both vendors to be locked.')
  await assertMergeable(call, keep, other, pair)
  // After the merge, links of both vendors are emailed to the addresses of the kept vendor.
  const after = { ...keep, ...mergeFields(keep, other) }
  await assertCanReroute(call, [
    { before: keep, after },
    { before: other, after },
  ])
  const warnings = await listWarnings(call, keep, other, pair)
  const archivedPrices = await merging.archiveOverlappingPrices(call, pair)
  const moved: MergeResult['moved'] = []
  const stayed: MergeResult['stayed'] = []
  for (const table of merging.MOVABLE_TABLES) {
    const { kind } = merging.VENDOR_REFERENCES[table]
    const counted = await merging.moveVendorRows(call, table, pair)
    if (counted.moved > 0) moved.push({ kind, count: counted.moved })
    if (counted.stayed > 0) stayed.push({ kind, count: counted.stayed })
  }
  await merging.moveMentions(call, pair)
  await revokeVendorLinks(call, [mergeId])
  const merged = await archiveMerged(call, keep, other)
  const filled = await vendors.update(call, keep, mergeFields(keep, other))
  await recordVendorUpdate(call, keep, filled)
  await vendors.recalculateNoticeTimes(call, keepId)
  return { vendor: await vendors.find(call, keepId), merged, moved, stayed, archivedPrices, warnings }
}

async function assertMergeable(call: WriteCall, keep: Vendor, other: Vendor, pair: merging.VendorPair): Promise<void> {
  if (keep.archivedAt !== null) throw conflict('archived', `Cannot merge into ${keep.companyName}: it is archived.`)
  if (other.mergedIntoId !== null)
    throw conflict(
      'already_done',
      `Cannot merge ${other.companyName}: it has already been merged into another vendor (${other.mergedIntoId}).`,
    )
  if (other.archivedAt !== null) throw conflict('archived', `Cannot merge ${other.companyName}: it is archived.`)
  const requests = await merging.listSharedOpenRequests(call, pair, MAX_NAMED)
  if (requests.length > 0)
    throw conflict(
      'wrong_status',
      `Cannot merge the vendors: both are invited to ${requests.join(', ')}. Award or cancel these bid requests first.`,
    )
  const contracts = await merging.listOverlappingContracts(call, pair, MAX_NAMED)
  if (contracts.length > 0)
    throw conflict(
      'in_use',
      `Cannot merge the vendors: both have active contracts for the same trade and place (${contracts.join(', ')}). Terminate one contract of each pair first.`,
    )
  if ((await merging.countReferences(call, other.id, MAX_RECORDS)) > MAX_RECORDS)
    throw problem(
      'too_much_work',
      `Cannot merge ${other.companyName}: it has more than ${formatNumber(MAX_RECORDS)} records, the maximum for a merge. Keep this vendor and merge the other vendor into it instead.`,
    )
}

async function listWarnings(call: WriteCall, keep: Vendor, other: Vendor, pair: merging.VendorPair): Promise<string[]> {
  const invoices = await merging.listSharedInvoices(call, pair, MAX_NAMED)
  const both = `${keep.accountingId} and ${other.accountingId}`
  return [
    ...invoices.map((number) => `Invoice ${number} was recorded for both vendors. Check whether it was paid twice.`),
    ...(keep.accountingId !== null && other.accountingId !== null
      ? [`The accounting system has both vendors (${both}). Merge the vendors in the accounting system, too.`]
      : []),
  ]
}

/**
 * Archives the merged vendor and stores the ID of the kept vendor on it. Clears the unique fields that the kept vendor
 * receives.
 */
async function archiveMerged(call: WriteCall, keep: Vendor, other: Vendor): Promise<Vendor> {
  const changes = {
    mergedIntoId: keep.id,
    portalStatus: 'not_invited' as const,
    ...(keep.accountingId === null && { accountingId: null }),
  }
  // Store the reference first, because an archived vendor cannot be changed.
  const pointed = await vendors.update(call, other, changes)
  const after = await vendors.archive(call, pointed)
  await recordVendorUpdate(call, other, after)
  return after
}

/** Returns the fields that the kept vendor lacks, and the combined lists of both vendors. */
function mergeFields(keep: Vendor, other: Vendor) {
  const known = new Set(keep.contacts.map(({ email, name }) => email ?? name))
  const trades = new Set(keep.scopes.map((scope) => scope.toLowerCase()))
  const isEverywhere = keep.communityIds.length === 0 || other.communityIds.length === 0
  return {
    email: keep.email ?? other.email,
    phone: keep.phone ?? other.phone,
    contactName: keep.contactName ?? other.contactName,
    address: keep.address ?? other.address,
    licenseNumber: keep.licenseNumber ?? other.licenseNumber,
    accountingId: keep.accountingId ?? other.accountingId,
    backupWithholding: keep.backupWithholding ?? other.backupWithholding,
    lienWaiverRequired: keep.lienWaiverRequired || other.lienWaiverRequired,
    scopes: [...keep.scopes, ...other.scopes.filter((scope) => !trades.has(scope.toLowerCase()))].slice(0, MAX_SCOPES),
    communityIds: isEverywhere ? [] : [...new Set([...keep.communityIds, ...other.communityIds])].slice(0, MAX_PLACES),
    contacts: [...keep.contacts, ...other.contacts.filter(({ email, name }) => !known.has(email ?? name))].slice(
      0,
      MAX_CONTACTS,
    ),
  }
}

/** The maximum lengths of a vendor's lists in the API contract. */
const MAX_SCOPES = 50
const MAX_PLACES = 200
const MAX_CONTACTS = 50

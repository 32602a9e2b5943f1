import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { computeLinkExpiry, revokePortalLink } from '../../../platform/keys/portal-links.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import * as communities from '../../land/communities/queries.ts'
import * as scopes from '../scopes/queries.ts'
import { inviteToPortal } from './invite-to-portal.ts'
import { addPossibleDuplicates, findSimilarVendors, toPossibleDuplicates } from './possible-duplicates.ts'
import * as vendors from './queries.ts'
import { replaceVendorLinks } from './replace-vendor-links.ts'
import { assertCanReroute } from './reroute-guards.ts'
import { defineVendorSync } from './sync-vendors.ts'
import { getLastFourCharacters, storeTaxId } from './tax-id.ts'
import { buildVendor, findInviteObstacle, toVendorChanges, VENDOR_MOVES } from './vendor.ts'

export const vendorOperations = {
  async listVendors({ query }, call) {
    return { status: 200, body: await vendors.list(call, query) }
  },

  async createVendor({ query, body }, call) {
    const { taxId = null, ...fields } = body
    const values = buildVendor({ ...fields, ...(await resolveReferences(call, fields, query.createScopes)) })
    const created = await call.write(async (call) => {
      const alike = call.permissions.has('vendors:read') ? await findSimilarVendors(call, values) : []
      const inserted = await vendors.insert(
        call,
        taxId === null ? values : { ...values, taxIdLast4: getLastFourCharacters(taxId) },
      )
      const vendor = taxId === null ? inserted : await storeTaxId(call, { before: null, after: inserted }, taxId)
      await recordEvent(call, 'vendor.created', vendor)
      return { ...vendor, possibleDuplicates: toPossibleDuplicates(alike) }
    })
    return { status: 201, body: created }
  },

  async syncVendors({ query, body }, call) {
    const synced = await call.write(async (call) =>
      addPossibleDuplicates(call, await syncRows(call, body, defineVendorSync(body.match, query.createScopes))),
    )
    return { status: 200, body: synced }
  },

  async getVendor({ path }, call) {
    return { status: 200, body: await vendors.find(call, path.vendorId) }
  },

  async updateVendor({ path, query, body, ifMatch }, call) {
    const { taxId, notificationPreferences } = body
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      const changes = toVendorChanges(before, { ...body, ...(await resolveReferences(call, body, query.createScopes)) })
      await assertCanReroute(call, [{ before, after: { ...before, ...changes } }])
      const updated = await vendors.update(call, before, changes, ifMatch)
      const after = taxId === undefined ? updated : await storeTaxId(call, { before, after: updated }, taxId)
      if (notificationPreferences !== undefined) await vendors.recalculateNoticeTimes(call, after.id)
      await recordVendorUpdate(call, before, after)
      await replaceVendorLinks(call, [{ before, after }])
      return after
    })
    return { status: 200, body: vendor }
  },

  async archiveVendor({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      await recordVendorUpdate(call, before, await vendors.archive(call, before, ifMatch))
      if (before.archivedAt === null) await vendors.recalculateNoticeTimes(call, before.id)
    })
    return { status: 204 }
  },

  async changeVendorStatus({ path, body }, call) {
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      if (before.archivedAt !== null)
        throw conflict('vendor_archived', `Cannot change the status of ${before.companyName}: it is archived.`)
      assertTransition(VENDOR_MOVES, before.status, body.status)
      const after = await vendors.update(call, before, { status: body.status })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      await recordVendorUpdate(call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },

  async inviteVendor({ path }, call) {
    const invited = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      const obstacle = findInviteObstacle(before)
      if (obstacle !== null) throw conflict(obstacle.code, `Cannot send the portal link. ${obstacle.message}`)
      const vendor = await inviteToPortal(call, before)
      return {
        vendor,
        expiresAt: computeLinkExpiry({ createdAt: call.now.toISOString(), deadlineAt: null }).toISOString(),
      }
    })
    return { status: 200, body: invited }
  },

  async revokeVendorPortal({ path }, call) {
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      await revokePortalLink(call, before.id)
      const after = await vendors.update(call, before, { portalStatus: 'not_invited' })
      await recordVendorUpdate(call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },
} satisfies Partial<Handlers>

/** Records a `vendor.updated` event if any field has changed. */
export async function recordVendorUpdate(call: WriteCall, before: Vendor, after: Vendor): Promise<void> {
  if (after.version !== before.version) await recordEvent(call, 'vendor.updated', after, before)
}

/** Returns the trades in the organization's spelling. Throws if a community does not exist. */
async function resolveReferences(
  call: Call,
  body: { scopes?: string[]; communityIds?: string[] },
  createScopes: boolean | undefined,
): Promise<{ scopes?: string[] }> {
  if (body.communityIds !== undefined) {
    await communities.assertExist(call, body.communityIds, '/communityIds')
  }
  return body.scopes === undefined ? {} : { scopes: await scopes.requireTrades(call, body.scopes, createScopes) }
}

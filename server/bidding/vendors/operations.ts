import type { Vendor } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { Call, WriteCall } from '../../http/call.ts'
import type { Handlers } from '../../http/operation.ts'
import { assertMove, problem } from '../../http/problem.ts'
import { endOf, issueAddresses, revokeAddress, seesAddresses } from '../../keys/portal-addresses.ts'
import * as communities from '../../land/communities/queries.ts'
import { wholeAddress } from '../../values/address.ts'
import * as scopes from '../scopes/queries.ts'
import * as vendors from './queries.ts'
import { newVendor, reasonNotToInvite, VENDOR_MOVES, wholeContacts } from './vendor.ts'

export const vendorOperations = {
  async listVendors({ query }, call) {
    return { status: 200, body: await vendors.list(call, query) }
  },

  async createVendor({ body }, call) {
    const vendor = await vendors.create(
      call,
      newVendor({ ...body, ...(await references(call, body)) }),
      'vendor.created',
    )
    return { status: 201, body: vendor }
  },

  async getVendor({ path }, call) {
    return { status: 200, body: await vendors.find(call, path.vendorId) }
  },

  async updateVendor({ path, body, ifMatch }, call) {
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      const { address, contacts, ...rest } = { ...body, ...(await references(call, body)) }
      const changes = {
        ...rest,
        ...(address !== undefined && { address: wholeAddress(address) }),
        ...(contacts !== undefined && { contacts: wholeContacts(contacts) }),
      }
      const after = await vendors.update(call, before, changes, ifMatch)
      await recordUpdate(call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },

  async archiveVendor({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      await recordUpdate(call, before, await vendors.archive(call, before, ifMatch))
    })
    return { status: 204 }
  },

  async changeVendorStatus({ path, body }, call) {
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      if (before.archivedAt !== null) throw problem('conflict', `${before.companyName} is archived.`)
      assertMove(VENDOR_MOVES, before.status, body.status)
      const after = await vendors.update(call, before, { status: body.status })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      await recordUpdate(call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },

  async inviteVendor({ path }, call) {
    const invited = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      const reason = reasonNotToInvite(before)
      if (reason !== null) throw problem('conflict', reason)
      // A vendor that has joined stays joined, however often it is invited again.
      const portalStatus = before.portalStatus === 'not_invited' ? 'invited' : before.portalStatus
      const vendor = await vendors.update(call, before, { portalStatus })
      await revokeAddress(call, vendor.id)
      const addresses = await issueAddresses(call, [{ subjectId: vendor.id, vendorId: vendor.id }])
      await recordEvent(call, 'vendor.invited', vendor, before, { reason: 'portal', bidRequestId: null })
      return {
        vendor,
        portalUrl: seesAddresses(call) ? (addresses.get(vendor.id) ?? null) : null,
        expiresAt: endOf({ createdAt: call.now.toISOString(), deadlineAt: null }).toISOString(),
      }
    })
    return { status: 200, body: invited }
  },

  async revokeVendorPortal({ path }, call) {
    const vendor = await call.write(async (call) => {
      const before = await vendors.lock(call, path.vendorId)
      await revokeAddress(call, before.id)
      const after = await vendors.update(call, before, { portalStatus: 'not_invited' })
      await recordUpdate(call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },
} satisfies Partial<Handlers>

/** Emits vendor.updated if anything changed. */
export async function recordUpdate(call: WriteCall, before: Vendor, after: Vendor): Promise<void> {
  if (after.version !== before.version) await recordEvent(call, 'vendor.updated', after, before)
}

/** The scopes as the organization spells them, and communities that belong to it. */
async function references(
  call: Call,
  body: { scopes?: string[]; communityIds?: string[] },
): Promise<{ scopes?: string[] }> {
  if (body.communityIds !== undefined) {
    await communities.assertExist(call, body.communityIds, '/communityIds')
  }
  return body.scopes === undefined ? {} : { scopes: await scopes.named(call, body.scopes) }
}

import type { Vendor } from '../../client/contract.gen.ts'
import type { Db } from '../database/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Call } from '../http/call.ts'
import type { Some } from '../http/operation.ts'
import * as scopes from '../scopes/queries.ts'
import * as vendors from './queries.ts'
import { newVendor, wholeAddress, wholeContacts } from './vendor.ts'

export const vendorOperations: Some<'listVendors' | 'createVendor' | 'getVendor' | 'updateVendor' | 'archiveVendor'> = {
  async listVendors({ query }, call) {
    return { status: 200, body: await vendors.list(call.db, call.organizationId, query) }
  },

  async createVendor({ body }, call) {
    await checkReferences(call.db, call, body)
    const vendor = await vendors.create(call, newVendor(body), 'vendor.created')
    return { status: 201, body: vendor, headers: { Location: `/api/ext/vendors/${vendor.id}` } }
  },

  async getVendor({ path }, call) {
    return { status: 200, body: await vendors.find(call.db, call.organizationId, path.vendorId) }
  },

  async updateVendor({ path, body }, call) {
    const vendor = await call.write(async (trx) => {
      const before = await vendors.lock(trx, call.organizationId, path.vendorId)
      await checkReferences(trx, call, body)
      const { address, contacts, ...rest } = body
      const after = await vendors.update(trx, call, before, {
        ...rest,
        ...(address !== undefined && { address: wholeAddress(address) }),
        ...(contacts !== undefined && { contacts: wholeContacts(contacts) }),
      })
      await recordUpdate(trx, call, before, after)
      return after
    })
    return { status: 200, body: vendor }
  },

  async archiveVendor({ path }, call) {
    await call.write(async (trx) => {
      const before = await vendors.lock(trx, call.organizationId, path.vendorId)
      await recordUpdate(trx, call, before, await vendors.archive(trx, call, before))
    })
    return { status: 204 }
  },
}

/** vendor.updated, when anything changed. */
export async function recordUpdate(trx: Db, call: Call, before: Vendor, after: Vendor): Promise<void> {
  if (after.version !== before.version) await recordEvent(trx, call, 'vendor.updated', after, before)
}

async function checkReferences(db: Db, call: Call, body: { scopes?: string[]; communityIds?: string[] }): Promise<void> {
  if (body.scopes !== undefined) await scopes.ensure(db, call, body.scopes)
}

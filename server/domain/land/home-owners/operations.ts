import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { revokeOwnerLinks } from '../../../platform/keys/owner-links.ts'
import * as homes from '../homes/queries.ts'
import { assertRoomForOwner } from './add-owners.ts'
import { notifyFormerAddress } from './notify-owners.ts'
import { copyOwnerLink, inviteOwner, revokeLinkOfOwner } from './owner-link.ts'
import * as owners from './queries.ts'
import { assertCanReroute } from './reroute-guards.ts'

export const homeOwnerOperations = {
  async listHomeOwners({ query }, call) {
    return { status: 200, body: await owners.list(call, query) }
  },

  async createHomeOwner({ body }, call) {
    const owner = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      await assertRoomForOwner(call, await homes.lock(call, body.homeId))
      return owners.insert(call, { ...body, invitedAt: null, lastVisitAt: null })
    })
    return { status: 201, body: owner }
  },

  async getHomeOwner({ path }, call) {
    return { status: 200, body: await owners.find(call, path.homeOwnerId) }
  },

  async updateHomeOwner({ path, body, ifMatch }, call) {
    const owner = await call.write(async (call) => {
      const before = await owners.lock(call, path.homeOwnerId)
      const { email } = body
      const isMoved = email !== undefined && email?.toLowerCase() !== before.email?.toLowerCase()
      if (isMoved) await assertCanReroute(call, before, email)
      // Revoke the links, because anyone who can read the previous mailbox must lose access to the page.
      if (isMoved) {
        await notifyFormerAddress(call, before, 'addressChanged')
        await revokeOwnerLinks(call, before.id)
      }
      return owners.update(call, before, { ...body, ...(isMoved && { invitedAt: null }) }, ifMatch)
    })
    return { status: 200, body: owner }
  },

  async archiveHomeOwner({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await owners.lock(call, path.homeOwnerId)
      await owners.archive(call, before, ifMatch)
      // The notice must not be sent again if the request is repeated.
      if (before.archivedAt === null) await notifyFormerAddress(call, before, 'accessEnded')
      await revokeOwnerLinks(call, before.id)
    })
    return { status: 204 }
  },

  async inviteHomeOwner({ path }, call) {
    return { status: 200, body: await call.write((call) => inviteOwner(call, path.homeOwnerId)) }
  },

  async copyHomeOwnerLink({ path }, call) {
    if ('session' in call.principal) requireFreshSignIn(call)
    const ownerUrl = await call.write((call) => copyOwnerLink(call, path.homeOwnerId))
    return { status: 200, body: { homeOwnerId: path.homeOwnerId, ownerUrl } }
  },

  async revokeHomeOwnerLink({ path }, call) {
    return { status: 200, body: await call.write((call) => revokeLinkOfOwner(call, path.homeOwnerId)) }
  },
} satisfies Partial<Handlers>

import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { copyInvitationLink, copyVendorLink } from './copy-portal-link.ts'

export const portalLinkOperations = {
  async copyVendorPortalLink({ path }, call) {
    if ('session' in call.principal) requireFreshSignIn(call)
    return { status: 200, body: await call.write((call) => copyVendorLink(call, path.vendorId)) }
  },

  async copyInvitationLink({ path }, call) {
    if ('session' in call.principal) requireFreshSignIn(call)
    return { status: 200, body: await call.write((call) => copyInvitationLink(call, path.invitationId)) }
  },
} satisfies Partial<Handlers>

import type { HeldPermission, Role as RoleEntry } from '../../../../client/contract.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { getAdminPermissions, getRolePermissions, ROLES } from '../../../platform/keys/roles.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import * as users from '../../office/users/queries.ts'
import { createInvitationLink, mailInvitation } from './user-invitation.ts'
import { assertCanChangeUser, isPowerChange } from './user-rules.ts'

export const peopleOperations = {
  async inviteUser({ body }, call) {
    requireFreshSignIn(call)
    const link = await createInvitationLink(call, body.email)
    const user = await call.write(async (call) => {
      await assertCanChangeUser(call, null, {
        status: 'invited',
        role: body.role,
        poApprovalLimit: body.poApprovalLimit,
      })
      const invited = await users.insert(call, { ...body, status: 'invited' })
      if (link !== null) await mailInvitation(call, invited, link)
      return invited
    })
    return { status: 201, body: user, headers: { Location: `/api/ext/users/${user.id}` } }
  },

  async updateUser({ path, body, ifMatch }, call) {
    const user = await call.write(async (call) => {
      const before = await users.lock(call, path.userId)
      assertIfMatch(ifMatch, before)
      const { role = before.role, poApprovalLimit = before.poApprovalLimit } = body
      const after = { ...before, role, poApprovalLimit }
      if (isPowerChange(before, after)) requireFreshSignIn(call)
      await assertCanChangeUser(call, before, after)
      return users.update(call, before, body)
    })
    return { status: 200, body: user }
  },

  async changeUserStatus({ path, body }, call) {
    if (body.status === 'active') requireFreshSignIn(call)
    const user = await call.write(async (call) => {
      const before = await users.lock(call, path.userId)
      // If the user has never signed in, reactivation sets the status to `invited` instead of `active`.
      const status = body.status === 'active' && before.lastLoginAt === null ? 'invited' : body.status
      await assertCanChangeUser(call, before, { ...before, status })
      return users.update(call, before, { status })
    })
    return { status: 200, body: user }
  },

  async resendUserInvitation({ path }, call) {
    const user = await users.find(call, path.userId)
    if (user.status !== 'invited')
      throw conflict(
        'wrong_status',
        `Cannot invite ${user.name} again: the user is ${user.status}. Only users who have not signed in yet can be invited again.`,
      )
    const link = await createInvitationLink(call, user.email)
    if (link === null) return { status: 200, body: { delivery: 'none' } }
    await call.write((call) => mailInvitation(call, user, link))
    return { status: 200, body: { delivery: 'mail' } }
  },

  async getRoles(_input, { services }) {
    const { roles } = services.contract.document['x-roles'] as { roles: Record<string, string> }
    const data = ROLES.map((role): RoleEntry => {
      const permissions: HeldPermission[] = [...getRolePermissions(role), ...getAdminPermissions(role)]
      return { role, description: roles[role] ?? '', permissions }
    })
    return { status: 200, body: { data } }
  },
} satisfies Partial<Handlers>

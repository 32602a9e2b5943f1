import type { Handlers } from '../../../platform/calls/operation.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { findOrganizationRow, updateOrganization } from '../../office/organizations/organizations.ts'
import { toOrganizationSettings, toStoredChanges } from './organization-settings.ts'

export const organizationOperations = {
  async getOrganization(_input, { db, organizationId }) {
    const row = await findOrganizationRow(db, organizationId)
    if (row === undefined) throw notFound()
    return { status: 200, body: toOrganizationSettings(row) }
  },

  async updateOrganization({ body, ifMatch }, call) {
    const { services, organizationId, actor, address, requestId } = call
    // A call cannot write to the table of organizations. Therefore, call the function that operators use, with the
    // organization of the caller.
    const { database, clock } = services
    const by = { actor, address, requestId }
    return {
      status: 200,
      body: toOrganizationSettings(
        await updateOrganization(database, clock, organizationId, toStoredChanges(body), { by, ifMatch }),
      ),
    }
  },
} satisfies Partial<Handlers>

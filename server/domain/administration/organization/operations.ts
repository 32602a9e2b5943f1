import type { Handlers } from '../../../platform/calls/operation.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { organizationRow, updateOrganization } from '../../office/organizations/organizations.ts'
import { kept, shown } from './settings.ts'

export const organizationOperations = {
  async getOrganization(_input, { db, organizationId }) {
    const row = await organizationRow(db, organizationId)
    if (row === undefined) throw notFound()
    return { status: 200, body: shown(row) }
  },

  async updateOrganization({ body, ifMatch }, call) {
    const { surroundings, organizationId, actor, address, requestId } = call
    // Calls cannot write to the table of organizations, so this uses the operators' function, limited to this
    // organization.
    const { database, clock } = surroundings
    const by = { actor, address, requestId }
    return {
      status: 200,
      body: shown(await updateOrganization(database, clock, organizationId, kept(body), { by, ifMatch })),
    }
  },
} satisfies Partial<Handlers>

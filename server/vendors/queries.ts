import type { Vendor } from '../../client/contract.gen.ts'
import { resource } from '../database/resource.ts'

export const { list, find, findAll, peek, lock, assertExist, insert, create, update, archive } = resource<Vendor>({
  table: 'vendors',
  prefix: 'ven',
  columns: {
    id: 'plain',
    companyName: 'plain',
    email: 'plain',
    phone: 'plain',
    scopes: 'plain',
    contactName: 'plain',
    accountingId: 'plain',
    externalId: 'plain',
    status: 'plain',
    portalStatus: 'plain',
    complianceStatus: 'plain',
    communityIds: 'plain',
    contacts: 'json',
    address: 'json',
    licenseNumber: 'plain',
    poLimit: 'plain',
    defaultRetainagePercent: 'plain',
    version: 'plain',
    createdBy: 'json',
    createdAt: 'plain',
    updatedAt: 'plain',
    archivedAt: 'plain',
  },
  filters: {
    scope: (scope) => `${scope} = any(t."scopes")`,
    communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
  },
  search: ['companyName', 'contactName', 'email', 'phone', 'licenseNumber'],
})

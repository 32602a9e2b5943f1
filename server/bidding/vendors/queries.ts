import type { Vendor } from '../../../client/contract.gen.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, create, update, archive } =
  resource<Vendor>({
    table: 'vendors',
    prefix: 'ven',
    columns: {
      id: 'id',
      companyName: 'text',
      email: 'text?',
      phone: 'text?',
      scopes: 'texts',
      contactName: 'text?',
      accountingId: 'text?',
      externalId: 'text?',
      status: 'enum',
      portalStatus: 'enum',
      complianceStatus: 'enum',
      communityIds: 'texts',
      contacts: 'json',
      address: 'json?',
      licenseNumber: 'text?',
      poLimit: 'decimal?',
      defaultRetainagePercent: 'decimal',
      version: 'integer',
      createdBy: 'json',
      createdAt: 'instant',
      updatedAt: 'instant',
      archivedAt: 'instant?',
    },
    filters: {
      scope: (scope) => `${scope} = any(t."scopes")`,
      communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
    },
    search: ['companyName', 'contactName', 'email', 'phone', 'licenseNumber'],
  })

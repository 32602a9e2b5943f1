import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, create, update, archive } = resource({
  schema: 'Vendor',
  table: 'vendors',
  prefix: 'ven',
  long: ['contacts', 'scopes', 'communityIds'],
  filters: {
    scope: (scope) => `${scope} = any(t."scopes")`,
    communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
  },
  search: ['companyName', 'contactName', 'email', 'phone', 'licenseNumber'],
})

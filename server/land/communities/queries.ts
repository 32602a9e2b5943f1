import type { Community } from '../../../client/contract.gen.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, peek, lock, assertExist, insert, update, archive } = resource<Community>({
  table: 'communities',
  prefix: 'com',
  columns: {
    id: 'id',
    name: 'text',
    code: 'text?',
    accountingId: 'text?',
    externalId: 'text?',
    status: 'enum',
    city: 'text?',
    state: 'text?',
    postalCode: 'text?',
    timeZone: 'text',
    lotCount: 'integer?',
    version: 'integer',
    createdBy: 'json',
    createdAt: 'instant',
    updatedAt: 'instant',
    archivedAt: 'instant?',
  },
  search: ['name', 'code', 'city', 'state', 'postalCode'],
})

import type { Community } from '../../client/contract.gen.ts'
import { resource } from '../database/resource.ts'

export const { list, find, findAll, peek, lock, assertExist, insert, update, archive } = resource<Community>({
  table: 'communities',
  prefix: 'com',
  columns: {
    id: 'plain',
    name: 'plain',
    code: 'plain',
    accountingId: 'plain',
    externalId: 'plain',
    status: 'plain',
    city: 'plain',
    state: 'plain',
    postalCode: 'plain',
    timeZone: 'plain',
    lotCount: 'plain',
    version: 'plain',
    createdBy: 'json',
    createdAt: 'plain',
    updatedAt: 'plain',
    archivedAt: 'plain',
  },
  search: ['name', 'code', 'city', 'state', 'postalCode'],
})

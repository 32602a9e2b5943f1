import type { VendorNotification } from '../../client/contract.gen.ts'
import { resource } from '../database/resource.ts'

export const { list, insert } = resource<VendorNotification>({
  table: 'vendorNotifications',
  prefix: 'ntf',
  columns: {
    id: 'plain',
    vendorId: 'plain',
    kind: 'plain',
    bidRequestId: 'plain',
    homeId: 'plain',
    date: 'plain',
    message: 'plain',
    recipients: 'plain',
    version: 'plain',
    createdBy: 'json',
    createdAt: 'plain',
    updatedAt: 'plain',
  },
})

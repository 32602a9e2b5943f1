import type { VendorNotification } from '../../../client/contract.gen.ts'
import { resource } from '../../resources/resource.ts'

export const { list, insert } = resource<VendorNotification>({
  table: 'vendorNotifications',
  prefix: 'ntf',
  columns: {
    id: 'id',
    vendorId: 'id',
    kind: 'enum',
    bidRequestId: 'id?',
    homeId: 'id?',
    date: 'date',
    message: 'text?',
    recipients: 'texts',
    version: 'integer',
    createdBy: 'json',
    createdAt: 'instant',
    updatedAt: 'instant',
  },
})

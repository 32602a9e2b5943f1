import { resource } from '../../resources/resource.ts'

export const { list, insert } = resource({
  schema: 'VendorNotification',
  table: 'vendorNotifications',
  prefix: 'ntf',
})

import { resource } from '../../resources/resource.ts'

export const { list, findAll, insert } = resource({
  schema: 'VendorNotification',
  table: 'vendorNotifications',
  prefix: 'ntf',
  long: ['message', 'recipients'],
})

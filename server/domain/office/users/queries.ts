import { resource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = resource({
  schema: 'User',
  // Users act for no vendor.
  computed: { vendorId: 'null::text' },
})

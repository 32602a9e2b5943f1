import { resource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = resource({
  schema: 'User',
  // A builder's own people act for no vendor.
  computed: { vendorId: 'null::text' },
})

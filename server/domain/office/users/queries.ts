import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'User',
  // Null, because users do not act for a vendor.
  computed: { vendorId: 'null::text' },
})

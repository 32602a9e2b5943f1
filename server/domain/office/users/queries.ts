import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'User',
  // Users do not act for a vendor.
  computed: { vendorId: 'null::text' },
})

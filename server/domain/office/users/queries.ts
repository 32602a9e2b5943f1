import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'User',
  // Users act for no vendor.
  computed: { vendorId: 'null::text' },
})

import { linkedTo } from '../../../platform/resources/listing.ts'
import { resource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = resource({
  schema: 'Lead',
  filters: {
    communityId: linkedTo,
    planId: linkedTo,
    dueBefore: (instant) => `t."nextActivityAt" < ${instant}`,
    inactiveSince: (instant) => `t."lastActivityAt" < ${instant}`,
  },
})

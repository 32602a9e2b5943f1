import { toLinkedIdFilterSql } from '../../../platform/resources/listing.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'Lead',
  filters: {
    communityId: toLinkedIdFilterSql,
    planId: toLinkedIdFilterSql,
    dueBefore: (timestamp) => `t."nextActivityAt" < ${timestamp}`,
    inactiveSince: (timestamp) => `t."lastActivityAt" < ${timestamp}`,
  },
})

import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findOptional, lock, insert, update } = defineResource({ schema: 'Visit' })

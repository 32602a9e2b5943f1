import type { Handlers } from './http/operation.ts'
import { vendorOperations } from './vendors/operations.ts'

// TEMPORARY while the rooms are being built: one spread per slice; the lead removes the cast and the Proxy at the end.
const built: Partial<Handlers> = {
  ...vendorOperations,
}
const unbuilt = async () => {
  throw new Error('not built yet')
}
export const operations: Handlers = new Proxy(built, { get: (target, id) => (target as Record<PropertyKey, unknown>)[id] ?? unbuilt }) as Handlers

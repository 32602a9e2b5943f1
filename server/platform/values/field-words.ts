/** The fields whose names in the API differ from the words that users know. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'ID',
  externalId: 'external ID',
  accountingId: 'accounting ID',
  taxId: 'tax ID',
  poApprovalLimit: 'approval limit',
  poType: 'order type',
  lastLoginAt: 'last sign-in',
  poId: 'order',
  companyName: 'company',
  scope: 'trade',
  ipAddress: 'IP address',
  url: 'URL',
  sku: 'SKU',
  is1099: 'receives Form 1099',
  line1: 'street',
  line2: 'street, second line',
  poLimit: 'open order limit',
  communityIds: 'communities',
  homeIds: 'homes',
  vendorIds: 'vendors',
  planIds: 'plans',
  taskIds: 'tasks',
  userIds: 'users',
  scopes: 'trades',
  cancelReason: 'reason for cancellation',
  overrideReason: 'reason for override',
  knownAt: 'recorded by',
}

/** Returns a field name such as `deadlineAt` in everyday words. */
export function humanizeField(field: string): string {
  const known = FIELDS[field]
  if (known !== undefined) return known
  return field
    .replace(/(Id|At|Ids)$/, '')
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
}

/** Returns the label of a field, which consists of the words of its name and begins with a capital letter. */
export function toFieldLabel(name: string): string {
  const words = humanizeField(name)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

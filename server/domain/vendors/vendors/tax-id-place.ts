/** Returns the encryption context of a vendor's tax ID. */
export function placeOfTaxId(organizationId: string, vendorId: string): string {
  return `vendor tax id ${organizationId} ${vendorId}`
}

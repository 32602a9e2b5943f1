/** Returns the encryption context of a vendor's tax ID. */
export function taxIdSealContext(organizationId: string, vendorId: string): string {
  return `vendor tax id ${organizationId} ${vendorId}`
}

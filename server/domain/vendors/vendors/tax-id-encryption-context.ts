/** Returns the encryption context of a vendor's tax ID. */
export function getTaxIdEncryptionContext(organizationId: string, vendorId: string): string {
  return `vendor tax id ${organizationId} ${vendorId}`
}

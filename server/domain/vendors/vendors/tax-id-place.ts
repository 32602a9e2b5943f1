/** The context that the number under which a vendor pays taxes is sealed for. */
export function placeOfTaxId(organizationId: string, vendorId: string): string {
  return `vendor tax id ${organizationId} ${vendorId}`
}

/**
 * Returns the invoice number in a normalized form for comparison: Unicode form NFKC, uppercase, letters and digits
 * only, no leading zeros in groups of digits. For example, `INV-0042/A` and `inv 42a` have the same key. A number
 * without letters or digits is returned as it is.
 */
export function toInvoiceKey(invoiceNumber: string): string {
  const upper = invoiceNumber.normalize('NFKC').toUpperCase().trim()
  const plain = upper.replace(/[^\p{L}\p{N}]/gu, '')
  return plain === '' ? upper : plain.replace(/(?<!\p{N})0+(?=\p{N})/gu, '')
}

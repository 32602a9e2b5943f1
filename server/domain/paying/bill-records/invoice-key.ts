/**
 * Returns the normalized invoice number for comparison: Unicode form NFKC, uppercase, letters and digits only, no
 * leading zeros in runs of digits. For example, `INV-0042/A` and `inv 42a` are equal. A number without letters or
 * digits is not normalized.
 */
export function toInvoiceKey(invoiceNumber: string): string {
  const upper = invoiceNumber.normalize('NFKC').toUpperCase().trim()
  const plain = upper.replace(/[^\p{L}\p{N}]/gu, '')
  return plain === '' ? upper : plain.replace(/(?<!\p{N})0+(?=\p{N})/gu, '')
}

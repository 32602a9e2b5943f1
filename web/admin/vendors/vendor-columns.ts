/** The fields that a column can be assigned to, and the headings by which each is recognized. */
export const VENDOR_FIELDS = {
  companyName: { word: 'Company', heads: ['company', 'companyname', 'vendor', 'vendorname', 'name', 'supplier'] },
  contactName: { word: 'Contact', heads: ['contact', 'contactname', 'person', 'primarycontact'] },
  email: { word: 'Email', heads: ['email', 'mail', 'mailaddress', 'emailaddress', 'mainemail'] },
  phone: { word: 'Phone', heads: ['phone', 'telephone', 'mainphone', 'phonenumber', 'mobile'] },
  scopes: { word: 'Trades', heads: ['scope', 'scopes', 'trade', 'trades', 'category', 'vendortype'] },
  licenseNumber: { word: 'License', heads: ['license', 'licensenumber', 'licenceno'] },
  poLimit: { word: 'Open order limit', heads: ['limit', 'polimit', 'creditlimit'] },
  accountingId: { word: 'Accounting ID', heads: ['accountingid', 'quickbooksid', 'accountnumber', 'accountno'] },
  externalId: { word: 'External ID', heads: ['externalid', 'id', 'vendorid', 'number', 'vendornumber'] },
} as const satisfies Record<string, { word: string; heads: readonly string[] }>

export type VendorField = keyof typeof VENDOR_FIELDS
/** The field of each column of the file; empty for a column that is ignored. */
export type ColumnMapping = readonly (VendorField | '')[]

export function isVendorField(name: string): name is VendorField {
  return name in VENDOR_FIELDS
}

/** Assigns fields to columns by their headings. No field is assigned twice. */
export function guessMapping(heads: readonly string[]): ColumnMapping {
  const taken = new Set<VendorField>()
  return heads.map((head) => {
    const plain = head.toLowerCase().replaceAll(/[^a-z]/g, '')
    const field = Object.entries(VENDOR_FIELDS).find(([, { heads }]) =>
      (heads as readonly string[]).includes(plain),
    )?.[0]
    if (field === undefined || !isVendorField(field) || taken.has(field)) return ''
    taken.add(field)
    return field
  })
}

/** Returns a row of the file in the form of importRows. Empty cells are omitted, so that they change nothing. */
export function toImportRow(cells: readonly string[], mapping: ColumnMapping): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [at, field] of mapping.entries()) {
    const text = cells[at]?.trim() ?? ''
    if (field === '' || text === '') continue
    if (field === 'scopes') fields.scopes = [...new Set(text.split(/[,;|/]/).flatMap((scope) => scope.trim() || []))]
    // A value that is not a number is sent unchanged, so that the error is reported with its row.
    else if (field === 'poLimit') fields.poLimit = parseNumber(text) ?? text
    else fields[field] = text
  }
  return fields
}

function parseNumber(text: string): number | null {
  const number = Number(text.replaceAll(/[$,\s]/g, ''))
  return Number.isFinite(number) ? number : null
}

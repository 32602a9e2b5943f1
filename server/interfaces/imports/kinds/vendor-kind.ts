import { splitAddressLines } from './address-lines.ts'
import {
  ACCOUNTING_ID,
  ADDRESS,
  type ImportKindDefinition,
  mapWordsToValues,
  type RowValues,
  TEXT_ID,
  toHeadingKey,
} from './import-kind.ts'

/** Defines the import of vendors, including exports from QuickBooks, Xero, and ProjectHound. */
export const vendorKind: ImportKindDefinition = {
  kind: 'vendor',
  label: 'Vendors',
  permission: 'vendors:write',
  table: 'vendors',
  operations: {
    ...{ create: 'createVendor', update: 'updateVendor', get: 'getVendor', archive: 'archiveVendor', id: 'vendorId' },
    createOnly: ['status'],
    status: { operation: 'changeVendorStatus', accepted: ['prospective', 'active'], initial: 'active' },
  },
  identifiedBy: [['id'], ['externalId'], ['accountingId'], ['companyName']],
  hasPossibleDuplicates: true,
  fields: {
    ...TEXT_ID,
    companyName: {
      label: 'Company',
      type: 'text',
      isRequired: true,
      heads: [
        'vendor',
        'vendordisplayname',
        'displayname',
        'vendorname',
        'companyname',
        'company',
        'supplier',
        'name',
        'subcontractor',
      ],
    },
    contactName: {
      label: 'Contact',
      type: 'text',
      heads: ['primarycontact', 'contact', 'contactname', 'contactperson', 'person', 'mainperson', 'attention'],
    },
    firstName: { label: 'First name of the contact', type: 'text', heads: ['firstname', 'givenname'] },
    lastName: { label: 'Last name of the contact', type: 'text', heads: ['lastname', 'surname', 'familyname'] },
    email: {
      label: 'Email',
      type: 'text',
      heads: ['email', 'mainemail', 'emailaddress', 'mail', 'emails'],
      content: /^\S+@\S+\.\S+$/,
    },
    phone: {
      label: 'Phone',
      type: 'text',
      heads: ['phone', 'mainphone', 'phonenumber', 'phonenumbers', 'telephone', 'tel', 'officephone'],
      content: /^\+?1?[-. ]?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}(?: ?(?:x|ext\.?) ?\d+)?$/,
    },
    scopes: {
      label: 'Trades',
      type: 'list',
      heads: ['trade', 'trades', 'scope', 'scopes', 'vendortype', 'category', 'tradetype', 'specialty'],
    },
    status: {
      label: 'Status',
      type: 'choice',
      heads: ['status', 'activestatus', 'vendorstatus', 'active'],
      choices: mapWordsToValues({
        active: ['Yes', 'True', 'Approved', 'Current', 'A'],
        inactive: ['Not-active', 'Not active', 'No', 'False', 'Archived', 'I', 'Deleted'],
        on_hold: ['On hold', 'Hold', 'Suspended'],
        prospective: ['Prospect', 'Pending', 'New'],
      }),
    },
    ...ACCOUNTING_ID,
    ...ADDRESS,
    'address.block': {
      label: 'Address in one cell',
      type: 'text',
      heads: ['fulladdress', 'billingaddress', 'mailingaddress', 'billfrom'],
    },
    ...Object.fromEntries(
      [1, 2, 3, 4, 5].map((line) => [
        `address.block${line}`,
        { label: `Address line ${line} of a block`, type: 'text', heads: [toHeadingKey(`Bill from ${line}`)] },
      ]),
    ),
    taxId: {
      label: 'Tax ID',
      type: 'text',
      isSecret: true,
      heads: ['taxid', 'taxnumber', 'ein', 'ssn', 'einssn', 'federaltaxid', 'taxidnumber', 'tin'],
      content: /^(?:\d{2}-\d{7}|\d{3}-\d{2}-\d{4})$/,
    },
    is1099: {
      label: '1099 vendor',
      type: 'boolean',
      heads: [
        '1099',
        'is1099',
        'eligiblefor1099',
        '1099vendor',
        'track1099',
        'trackpaymentsfor1099',
        '1099tracking',
        '1099eligible',
      ],
    },
    paymentTerms: {
      label: 'Terms',
      type: 'text',
      heads: ['terms', 'paymentterms', 'termsname'],
      content: /^net \d{1,3}$/i,
      convert: toPaymentTerms,
    },
    defaultRetainagePercent: {
      label: 'Retainage (%)',
      type: 'number',
      heads: [
        'retainage',
        'retainagepercent',
        'retention',
        'retentionpercent',
        'defaultretainagepercent',
        'retainagepct',
      ],
    },
    poLimit: {
      label: 'Open order limit',
      type: 'number',
      heads: ['polimit', 'creditlimit', 'openorderlimit', 'limit'],
    },
    licenseNumber: {
      label: 'License',
      type: 'text',
      heads: ['license', 'licensenumber', 'licenseno', 'licence', 'licenceno', 'contractorlicense'],
    },
  },

  toInput([row = {}]) {
    const { firstName, lastName, contactName, ...values } = row
    const name = contactName ?? ([firstName, lastName].filter((part) => part !== undefined).join(' ') || undefined)
    return {
      ...withoutBlocks(values),
      ...(name !== undefined && { contactName: name }),
      ...splitAddressLines(
        ['address.block', ...[1, 2, 3, 4, 5].map((line) => `address.block${line}`)].map((field) => values[field]),
        [values.companyName, name],
      ),
    }
  },
}

function withoutBlocks(values: RowValues): RowValues {
  return Object.fromEntries(Object.entries(values).filter(([field]) => !field.startsWith('address.block')))
}

/** Parses `Net 30`, `2% 10 Net 30`, `1% 10, Net 30`, `30 days`, `30`, and `Due on receipt`. */
function toPaymentTerms(text: string): unknown {
  if (/^(due (up)?on receipt|cod|cash|immediate)/i.test(text))
    return { netDays: 0, discountPercent: 0, discountDays: 0 }
  const [, percent, days, net] =
    /^(?:(\d+(?:\.\d+)?)\s*%\s*(\d{1,3})\s*(?:days)?\s*[,/]?\s*)?(?:net|n)\s*\/?\s*(\d{1,3})/i.exec(text) ?? []
  if (net !== undefined)
    return { netDays: Number(net), discountPercent: Number(percent ?? 0), discountDays: Number(days ?? 0) }
  const [, alone] = /^(\d{1,3})(?:\s*days?)?$/i.exec(text) ?? []
  return alone === undefined ? undefined : { netDays: Number(alone), discountPercent: 0, discountDays: 0 }
}

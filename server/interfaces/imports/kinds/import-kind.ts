import type { ImportField, ImportKind, Permission } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { OperationId } from '../../../platform/calls/contract.ts'

/**
 * A field into which a column can be imported. A name with a period refers to a field of an object, such as
 * `address.city`.
 */
export interface FieldDefinition {
  readonly label: string
  readonly type: ImportField['type']
  /** Column headings that identify the field, in lowercase and with only letters and digits. */
  readonly heads: readonly string[]
  readonly isRequired?: true
  /** For a `choice`, the value for each word that a file can contain. */
  readonly choices?: Readonly<Record<string, string>>
  /** A pattern that nearly all values match. Identifies the field if the heading does not. */
  readonly content?: RegExp
  /**
   * Converts the text further, after the conversion to the field's type. Returns undefined if the text cannot be
   * converted.
   */
  readonly convert?: (text: string) => unknown
  /** Whether the value is stored encrypted and never shown in full. */
  readonly isSecret?: true
}

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>

/** The values of a row by field. Fields with empty cells are absent. */
export type RowValues = Readonly<Record<string, unknown>>

/** The operations of the contract that store the records of a kind. */
export interface RecordOperations {
  readonly create: OperationId
  /** Null if no field of a record can be changed. */
  readonly update: OperationId | null
  readonly get: OperationId
  /** The operation that undoes the creation of a record; null if the records cannot be archived. */
  readonly archive: OperationId | null
  /** Further input of the archiving operation, such as a reason. */
  readonly archiveInput?: Readonly<Record<string, unknown>>
  /** The status after archiving, of records that end by a status. */
  readonly archivedStatus?: string
  /** The path parameter of these operations that contains the record's ID. */
  readonly id: string
  /** The fields that only the create operation accepts. */
  readonly createOnly: readonly string[]
  /**
   * The operation that changes the status. Needed if the create operation accepts only some statuses, and the update
   * operation none. `initial` is the status that the create operation receives instead; null if the create operation
   * accepts no status.
   */
  readonly status?: {
    readonly operation: OperationId
    readonly accepted: readonly string[]
    readonly initial: string | null
  }
}

/** The properties of an import kind. */
export interface ImportKindDefinition {
  readonly kind: ImportKind
  readonly label: string
  readonly permission: Permission
  readonly table: string
  /**
   * SQL condition for the records that a row can refer to, with the alias `t`. Defaults to records that are not
   * archived.
   */
  readonly isActiveSql?: string
  readonly fields: FieldDefinitions
  /**
   * Keys: sets of fields that identify a record. The keys are tried in order. If a row contains all fields of a key,
   * keys that consist of some of these fields are skipped. A question mark marks a field that can be empty in the row.
   * In this case, the field of the record must also be empty.
   */
  readonly identifiedBy: readonly (readonly string[])[]
  /**
   * Maps a field to the field of the operation. For example, names are resolved as `costCodeId` and then sent as
   * `parentId`.
   */
  readonly renamed?: Readonly<Record<string, string>>
  /** The fields whose rows form one record together, such as the lines of a takeoff. */
  readonly groupedBy?: readonly string[]
  readonly operations: RecordOperations
  /** Returns the input of the operations for the rows of a record. Needed only if the input differs from the values. */
  toInput?(rows: readonly RowValues[]): Record<string, unknown>
  /** Adds data to the input that only the database contains, such as the IDs of predecessors. */
  complete?(call: WriteCall, input: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Returns the input for creating a record, if it is not the same as for finding and changing one. */
  toCreateInput?(input: Readonly<Record<string, unknown>>): Record<string, unknown>
  /**
   * Returns whether the creation of a record can be undone although the record has a later version, because only
   * records that were since undone have changed it.
   */
  canUndoLaterVersion?(call: WriteCall, recordId: string): Promise<boolean>
  /** Whether the import looks for similar records before it creates a record. */
  readonly hasPossibleDuplicates?: true
}

export const TEXT_ID: FieldDefinitions = {
  id: { label: 'Plumbline ID', type: 'text', heads: ['plumblineid'], content: /^[a-z]{2,6}_[0-9a-z]{26}$/ },
  externalId: { label: 'External ID', type: 'text', heads: ['externalid', 'externalnumber'] },
}

export const ACCOUNTING_ID: FieldDefinitions = {
  accountingId: {
    label: 'Accounting ID',
    type: 'text',
    heads: [
      'accountingid',
      'accountno',
      'accountnumber',
      'quickbooksid',
      'account',
      'vendorid',
      'vendornumber',
      'vendorno',
    ],
  },
}

export const ADDRESS: FieldDefinitions = {
  'address.line1': {
    label: 'Address',
    type: 'text',
    heads: [
      'address',
      'address1',
      'addressline1',
      'street',
      'streetaddress',
      'poaddressline1',
      'line1',
      'billingstreet',
    ],
  },
  'address.line2': {
    label: 'Address, second line',
    type: 'text',
    heads: ['address2', 'addressline2', 'suite', 'poaddressline2', 'line2', 'unit'],
  },
  'address.city': { label: 'City', type: 'text', heads: ['city', 'town', 'pocity', 'billingcity'] },
  'address.state': { label: 'State', type: 'text', heads: ['state', 'province', 'region', 'poregion', 'billingstate'] },
  'address.postalCode': {
    label: 'ZIP',
    type: 'text',
    heads: ['zip', 'zipcode', 'postalcode', 'postcode', 'popostalcode', 'billingzip'],
    content: /^\d{5}-\d{4}$/,
    // Spreadsheets drop the leading zero of a ZIP code.
    convert: (text) => (/^\d{3,4}$/.test(text) ? text.padStart(5, '0') : text),
  },
  'address.country': {
    label: 'Country',
    type: 'text',
    heads: ['country', 'pocountry', 'billingcountry'],
    convert: toCountryCode,
  },
}

/** The names that accounting systems use for the countries of North America. Other countries are entered as codes. */
const COUNTRIES: Readonly<Record<string, string>> = {
  ...{ usa: 'US', unitedstates: 'US', unitedstatesofamerica: 'US', us: 'US' },
  ...{ canada: 'CA', mexico: 'MX' },
}

function toCountryCode(text: string): string {
  return COUNTRIES[toHeadingKey(text)] ?? text
}

/** Returns a heading in normalized form, for comparison. */
export function toHeadingKey(head: string): string {
  return head
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
}

/** Returns the value for each word that other systems use, by the normalized word. */
export function mapWordsToValues(words: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([value, texts]) => [value, ...texts].map((text) => [toHeadingKey(text), value])),
  )
}

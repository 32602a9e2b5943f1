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
  /** The column headings that identify the field, in lowercase and reduced to letters and digits. */
  readonly heads: readonly string[]
  readonly isRequired?: true
  /** The values of a `choice` by the words that a file can contain. */
  readonly choices?: Readonly<Record<string, string>>
  /**
   * A pattern that nearly all values of the field match. If the heading does not identify the field, the pattern does.
   */
  readonly content?: RegExp
  /**
   * Converts the text again, after the conversion to the field's type. Returns undefined if the text cannot be
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
  /** The operation that changes a record; null if existing records cannot be changed. */
  readonly update: OperationId | null
  readonly get: OperationId
  /** The operation that undoes the creation of a record; null if the records cannot be archived. */
  readonly archive: OperationId | null
  /** Additional input of the archive operation, such as a reason. */
  readonly archiveInput?: Readonly<Record<string, unknown>>
  /** The status that replaces archiving, for records that cannot be archived. */
  readonly archivedStatus?: string
  /** The path parameter of the operations that contains the record's ID. */
  readonly id: string
  /** The fields that the create operation accepts and the update operation does not. */
  readonly createOnly: readonly string[]
  /**
   * The operation that changes the status. Needed if the create operation accepts only some statuses and the update
   * operation accepts none. `initial` is the status with which the record is created before this operation sets the
   * status from the row; null if the create operation accepts no status.
   */
  readonly status?: {
    readonly operation: OperationId
    readonly accepted: readonly string[]
    readonly initial: string | null
  }
}

/** Defines how records of one kind are imported. */
export interface ImportKindDefinition {
  readonly kind: ImportKind
  readonly label: string
  readonly permission: Permission
  readonly table: string
  /**
   * The SQL condition for the records to which a row can refer; `t` is the alias of the table. By default, all records
   * that are not archived.
   */
  readonly isActiveSql?: string
  readonly fields: FieldDefinitions
  /**
   * The keys, in the order in which they are tried. A key is a list of fields that identify a record. If a row contains
   * all fields of a key, keys that consist of only some of these fields are skipped. If the name of a field ends with a
   * question mark, the field may be empty in the row, and then must also be empty in the record.
   */
  readonly identifiedBy: readonly (readonly string[])[]
  /**
   * Fields that have another name in the operation. For example, a name is resolved to an ID as `costCodeId` and then
   * sent as `parentId`.
   */
  readonly renamed?: Readonly<Record<string, string>>
  /**
   * The fields that have the same values in all rows of a record, for records of several rows, such as the lines of a
   * takeoff.
   */
  readonly groupedBy?: readonly string[]
  readonly operations: RecordOperations
  /**
   * Converts the rows of a record to the input of the operations. Needed only if the input differs from the row's
   * values.
   */
  toInput?(rows: readonly RowValues[]): Record<string, unknown>
  /** Adds data to the input that must be read from the database, such as the IDs of predecessors. */
  complete?(call: WriteCall, input: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Converts the input for creating a record, if it differs from the input for finding or changing a record. */
  toCreateInput?(input: Readonly<Record<string, unknown>>): Record<string, unknown>
  /**
   * Returns whether the creation of a record can be undone although the record has a later version. It can if the later
   * changes came only from records that have been undone since.
   */
  canUndoLaterVersion?(call: WriteCall, recordId: string): Promise<boolean>
  /** Whether the import looks for similar records before creating a record. */
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
    // Spreadsheets remove the leading zero of a ZIP code.
    convert: (text) => (/^\d{3,4}$/.test(text) ? text.padStart(5, '0') : text),
  },
  'address.country': {
    label: 'Country',
    type: 'text',
    heads: ['country', 'pocountry', 'billingcountry'],
    convert: toCountryCode,
  },
}

/**
 * The names that accounting systems use for the countries of North America. Other countries must be entered as codes.
 */
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

/** Returns the values by the normalized words with which other systems name them. */
export function mapWordsToValues(words: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([value, texts]) => [value, ...texts].map((text) => [toHeadingKey(text), value])),
  )
}

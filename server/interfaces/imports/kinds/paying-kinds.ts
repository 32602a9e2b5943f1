import { hasOnlyMigratedWork } from '../../../domain/paying/purchase-orders/amount-queries.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { sum } from '../../../platform/values/money.ts'
import {
  type FieldDefinitions,
  type ImportKindDefinition,
  mapWordsToValues,
  type RowValues,
  TEXT_ID,
} from './import-kind.ts'

const ORDER_HEADS = [
  'ponumber',
  'pono',
  'po',
  'ordernumber',
  'orderno',
  'purchaseorder',
  'purchaseordernumber',
  'order',
]
const UNDO_REASON = 'The import was undone.'

const ORDER_FIELDS: FieldDefinitions = {
  ...TEXT_ID,
  number: { label: 'Order number', type: 'text', isRequired: true, heads: [...ORDER_HEADS, 'number', 'num'] },
  homeId: {
    label: 'Home',
    type: 'record',
    isRequired: true,
    heads: ['home', 'homename', 'job', 'jobname', 'house', 'lot', 'project'],
  },
  vendorId: {
    label: 'Vendor',
    type: 'record',
    isRequired: true,
    heads: ['vendor', 'vendorname', 'subcontractor', 'supplier', 'company', 'name'],
  },
  scope: { label: 'Trade', type: 'text', isRequired: true, heads: ['trade', 'scope', 'category', 'division'] },
  orderedDate: {
    label: 'Order date',
    type: 'date',
    isRequired: true,
    heads: ['orderdate', 'podate', 'ordereddate', 'dateordered', 'issuedate', 'dateissued', 'date'],
  },
  completedDate: {
    label: 'Date of completed work',
    type: 'date',
    heads: [
      ...['completeddate', 'datecompleted', 'workdate', 'billeddate', 'datebilled', 'billdate', 'lastbilldate'],
      ...['invoicedate', 'lastinvoicedate', 'lastinvoice', 'lastbilled', 'receiveddate', 'datereceived'],
    ],
  },
  retainagePercent: {
    label: 'Retainage (%)',
    type: 'number',
    heads: ['retainage', 'retainagepercent', 'retention', 'retentionpercent'],
  },
  notes: { label: 'Notes', type: 'text', heads: ['notes', 'note', 'memo', 'comments'] },
  accountingId: { label: 'Accounting ID', type: 'text', heads: ['accountingid', 'quickbooksid'] },
  'line.description': {
    label: 'Description',
    type: 'text',
    heads: ['description', 'linedescription', 'item', 'itemdescription', 'work'],
  },
  'line.costCodeId': {
    label: 'Cost code',
    type: 'record',
    heads: ['costcode', 'jobcostcode', 'phasecode', 'code', 'account'],
  },
  'line.amount': {
    label: 'Amount',
    type: 'number',
    isRequired: true,
    heads: ['amount', 'total', 'poamount', 'ordertotal', 'contractamount', 'lineamount', 'originalamount', 'committed'],
  },
  'line.completedAmount': {
    label: 'Completed amount',
    type: 'number',
    heads: [
      ...['completedamount', 'completed', 'workcompleted', 'billed', 'billedamount', 'billedtodate'],
      ...['invoiced', 'invoicedamount', 'invoicedtodate', 'received', 'receivedamount'],
    ],
  },
}

/** Imports open orders from another system, with their numbers and dates. Each row is a lump-sum line. */
export const purchaseOrderKind: ImportKindDefinition = {
  kind: 'purchase_order',
  label: 'Open purchase orders',
  permission: 'pos:write',
  table: 'purchaseOrders',
  isActiveSql: `t."status" <> 'void'`,
  operations: {
    ...{ create: 'createPurchaseOrder', update: 'updatePurchaseOrder', get: 'getPurchaseOrder' },
    ...{ archive: 'changePurchaseOrderStatus', archiveInput: { status: 'void', reason: UNDO_REASON } },
    ...{ archivedStatus: 'void', id: 'poId' },
    createOnly: [
      ...['homeId', 'vendorId', 'number', 'orderedDate', 'completedDate', 'scope', 'retainagePercent', 'lines'],
      'completed',
    ],
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'number']],
  groupedBy: ['homeId', 'number'],
  fields: ORDER_FIELDS,

  toInput(rows) {
    assertLinesComplete(rows, ['line.amount'])
    return {
      ...omitLineFields(rows),
      lines: rows.map(toOrderLine),
      completed: rows.flatMap(({ 'line.completedAmount': completedAmount }, i) =>
        completedAmount === undefined ? [] : [{ lineId: toLineId(i), completedAmount }],
      ),
    }
  },

  toCreateInput({ number, orderedDate, completedDate, completed, ...order }) {
    return {
      ...order,
      migration: { number, orderedDate, ...(completedDate !== undefined && { completedDate }), lines: completed },
    }
  },

  // An imported payment changes the version of its order, even after the payment is undone. An order with payments
  // cannot be voided.
  canUndoLaterVersion: hasOnlyMigratedWork,
}

function toOrderLine(row: RowValues, i: number): Record<string, unknown> {
  const { 'line.costCodeId': costCodeId, 'line.description': description, 'line.amount': amount, scope, number } = row
  return {
    lineId: toLineId(i),
    description: description ?? scope ?? number,
    ...{ quantity: 1, unitPrice: amount },
    ...(costCodeId !== undefined && { costCodeId }),
  }
}

function toLineId(i: number): string {
  return `line-${i + 1}`
}

const PAYMENT_FIELDS: FieldDefinitions = {
  id: { label: 'Plumbline ID', type: 'text', heads: ['plumblineid'], content: /^pay_[0-9a-z]{26}$/ },
  number: {
    label: 'Payment number',
    type: 'text',
    isRequired: true,
    heads: ['paymentnumber', 'paymentno', 'payment', 'number', 'num', 'reference', 'referencenumber', 'refno'],
  },
  'line.poId': { label: 'Purchase order', type: 'record', isRequired: true, heads: ORDER_HEADS },
  'line.amount': {
    label: 'Amount before retainage',
    type: 'number',
    isRequired: true,
    heads: ['grossamount', 'amountbeforeretainage', 'gross', 'amount', 'amountpaid', 'paidamount', 'paid', 'total'],
  },
  paidDate: {
    label: 'Paid on',
    type: 'date',
    isRequired: true,
    heads: ['paiddate', 'paidon', 'datepaid', 'paymentdate', 'checkdate', 'date'],
  },
  paymentType: {
    label: 'Type',
    type: 'choice',
    heads: ['paymenttype', 'type'],
    choices: mapWordsToValues({
      progress: ['Draw', 'Partial', 'Progress payment', 'Bill payment'],
      final: ['Final payment'],
      retainage_release: ['Retainage', 'Retainage release', 'Retention'],
      deposit: ['Advance', 'Down payment'],
      adjustment: [],
    }),
  },
  method: {
    label: 'Method',
    type: 'choice',
    heads: ['method', 'paymentmethod', 'paidby'],
    choices: mapWordsToValues({
      check: ['Cheque', 'Chk'],
      ach: ['EFT', 'Bank transfer', 'Direct deposit'],
      card: ['Credit card', 'Debit card'],
      other: ['Cash', 'Wire'],
    }),
  },
  checkNumber: { label: 'Check number', type: 'text', heads: ['checknumber', 'checkno', 'check'] },
  'line.invoiceNumber': {
    label: 'Invoice number',
    type: 'text',
    heads: ['invoicenumber', 'invoiceno', 'invoice', 'bill', 'billnumber', 'billno', 'vendorinvoice'],
  },
  invoiceDate: { label: 'Invoice date', type: 'date', heads: ['invoicedate', 'billdate'] },
}

/**
 * Imports payments that were made in another system. Each row of a payment is the amount for an order or an invoice.
 */
export const paymentKind: ImportKindDefinition = {
  kind: 'payment',
  label: 'Paid amounts',
  permission: 'payments:write',
  table: 'payments',
  isActiveSql: `t."status" <> 'voided'`,
  operations: {
    ...{ create: 'createPayment', update: null, get: 'getPayment', id: 'paymentId' },
    ...{ archive: 'voidPayment', archiveInput: { reason: UNDO_REASON }, archivedStatus: 'voided' },
    createOnly: [
      ...['number', 'paidDate', 'checkNumber', 'allocations', 'paymentType', 'method', 'invoiceNumber', 'invoiceDate'],
    ],
  },
  identifiedBy: [['id'], ['number']],
  groupedBy: ['number'],
  fields: PAYMENT_FIELDS,

  toInput(rows) {
    assertLinesComplete(rows, ['line.poId', 'line.amount'])
    const invoices = [...new Set(rows.flatMap(({ 'line.invoiceNumber': invoice }) => invoice ?? []))]
    return {
      ...omitLineFields(rows),
      ...(invoices.length > 0 && { invoiceNumber: invoices.join(', ') }),
      // If a payment is for several invoices, it can have several rows for the same order.
      allocations: [...Map.groupBy(rows, ({ 'line.poId': poId }) => poId)].map(([poId, ofOrder]) => ({
        poId,
        amount: sum(ofOrder.map(({ 'line.amount': amount }) => Number(amount))),
      })),
    }
  },

  toCreateInput({ number, paidDate, checkNumber, ...payment }) {
    return { ...payment, migration: { number, paidDate, ...(checkNumber !== undefined && { checkNumber }) } }
  },
}

/** Throws unless every row contains the given fields. */
function assertLinesComplete(rows: readonly RowValues[], fields: readonly string[]): void {
  const missing = fields.filter((field) => rows.some((row) => row[field] === undefined))
  if (missing.length > 0)
    throw validationFailed(
      missing.map((field) => ({ pointer: `/${field}`, code: 'required', message: 'is required in every row' })),
    )
}

/** Returns the fields of the first row without the `line.` fields, which differ from row to row. */
function omitLineFields([first = {}]: readonly RowValues[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(first).filter(([field]) => !field.startsWith('line.')))
}

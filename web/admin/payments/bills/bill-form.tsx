import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Bill, BillLineInput, PurchaseOrder } from '../../../../client/contract.gen.ts'
import { formatTypedNumber, parseTypedNumber } from '../../../../server/platform/values/typed-number.ts'
import { toErrorMessage } from '../../../api/error-message.ts'
import { useListPage } from '../../../api/list-pages.ts'
import { useRecords } from '../../../api/use-records.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field, FieldErrorAt, Form, readNumberField, readTextField, SelectField, TextField } from '../../../ui/form.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { Panel } from '../../../ui/panel.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { CostCodeField } from '../../actions/cost-code-field.tsx'
import { RecordChoice } from '../../actions/record-choice.tsx'
import { VendorField } from '../../actions/vendor-field.tsx'
import { ConflictLink } from './bill-moves.tsx'

/** The page size limit of one request. A vendor rarely has more open orders. */
const MAX_ORDERS = 200
/** The statuses of orders for which a bill can be approved. */
const OPEN_STATUSES: readonly PurchaseOrder['status'][] = ['issued', 'accepted', 'partially_completed', 'completed']
const BOXES = ['nec_1', 'misc_1', 'misc_3', 'misc_6', 'misc_10', 'none'] as const
const BOX_LABELS: Readonly<Record<(typeof BOXES)[number], string>> = {
  nec_1: 'Services (1099-NEC, box 1)',
  misc_1: 'Rent (1099-MISC, box 1)',
  misc_3: 'Other income (1099-MISC, box 3)',
  misc_6: 'Medical payments (1099-MISC, box 6)',
  misc_10: 'Attorney (1099-MISC, box 10)',
  none: 'Not reported',
}

interface LineDraft {
  key: string
  poId: string
  poLineId: string
  homeId: string
  costCodeId: string
  amount: string
  before: Bill['lines'][number] | null
}

const EMPTY_LINE = { poId: '', poLineId: '', homeId: '', costCodeId: '', amount: '', before: null }

/** The values of the form that both a new bill and a changed bill accept. */
export interface BillInput {
  vendorId: string
  billType: Bill['billType']
  body: {
    invoiceNumber: string | null
    invoiceDate?: string
    receivedDate?: string
    postingDate?: string
    lines: BillLineInput[]
    overrideReason?: string
  }
}

/**
 * Shows the fields of a bill: its vendor, its invoice data, and its lines. Lines are matched with orders or charged to
 * a home.
 */
export function BillForm(props: {
  /** The bill to change; null to create a bill. */
  bill: Bill | null
  error: unknown
  isPending: boolean
  word: string
  /** The fields for the file of a new bill. */
  children?: ReactNode
  onSubmit(input: BillInput): void
}) {
  const { bill, error, isPending, word, children, onSubmit } = props
  const { today, exact } = useFormats()
  const [vendorId, setVendorId] = useState(bill?.vendorId ?? '')
  const [billType, setBillType] = useState<Bill['billType']>(bill?.billType ?? 'invoice')
  const [lines, setLines] = useState<readonly LineDraft[]>(() => toDrafts(bill))
  const sign = billType === 'credit_memo' ? -1 : 1
  const ordered = useListPage(
    '/api/ext/purchase-orders',
    { vendorId, limit: MAX_ORDERS, sort: '-createdAt' },
    { enabled: vendorId !== '' },
  )
  const orders = vendorId === '' ? [] : (ordered.data?.data ?? [])
  const chosenIds = new Set(lines.map(({ poId }) => poId))
  const offered = orders.filter(({ id, status }) => OPEN_STATUSES.includes(status) || chosenIds.has(id))
  const homes = useRecords(
    '/api/ext/homes',
    offered.map(({ homeId }) => homeId),
  )
  const change = (key: string, values: Partial<LineDraft>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...values } : line)))
  const total = lines.reduce((sum, { amount }) => sum + (parseTypedNumber(amount).value ?? 0), 0)
  const { problem } = toErrorMessage(error)
  const isDuplicate = error !== null && error !== undefined && problem?.reason === 'needs_override'
  const submit = (form: FormData) => {
    const dates = Object.fromEntries(
      (['invoiceDate', 'receivedDate', 'postingDate'] as const).flatMap((name) => {
        const value = readTextField(form, name)
        return value === undefined ? [] : [[name, value]]
      }),
    )
    const overrideReason = readTextField(form, 'overrideReason')
    onSubmit({
      ...{ vendorId, billType },
      body: {
        invoiceNumber: readTextField(form, 'invoiceNumber') ?? null,
        ...dates,
        lines: lines.map((line) => readLine(form, line, sign)),
        ...(overrideReason !== undefined && { overrideReason }),
      },
    })
  }
  return (
    <Form error={error} onSubmit={submit}>
      <div className="stack">
        <Panel title="Invoice">
          <div className="form">
            {bill === null && (
              <div className="form-row">
                <VendorField
                  value={vendorId}
                  onChange={(id) => {
                    setVendorId(id)
                    setLines([{ ...EMPTY_LINE, key: crypto.randomUUID() }])
                  }}
                />
                <SelectField
                  name="billType"
                  label="Type"
                  value={billType}
                  onChange={(value) => setBillType(value === 'credit_memo' ? 'credit_memo' : 'invoice')}
                  options={[
                    { value: 'invoice', label: 'Invoice' },
                    { value: 'credit_memo', label: 'Credit memo' },
                  ]}
                />
              </div>
            )}
            <div className="form-row">
              <TextField
                name="invoiceNumber"
                label="Invoice number"
                optional
                defaultValue={bill?.invoiceNumber ?? ''}
              />
              <TextField
                name="invoiceDate"
                label="Invoice date"
                type="date"
                defaultValue={bill?.invoiceDate ?? today()}
                hint="The payment terms of the vendor start on this date."
              />
            </div>
            <div className="form-row">
              <TextField
                name="receivedDate"
                label="Received"
                type="date"
                defaultValue={bill?.receivedDate ?? today()}
              />
              <TextField
                name="postingDate"
                label="Posting date"
                type="date"
                optional
                defaultValue={bill?.postingDate ?? ''}
                hint="Date in the cost ledger. Usually the invoice date."
              />
            </div>
            {isDuplicate && (
              <div className="stack">
                {problem?.conflictingId !== undefined && (
                  <p>
                    <ConflictLink id={problem.conflictingId} />
                  </p>
                )}
                <TextField
                  name="overrideReason"
                  label="Reason to enter the bill anyway"
                  hint="Recorded in the history. Requires permission to override."
                />
              </div>
            )}
            {children}
          </div>
        </Panel>
        <Panel
          title={billType === 'credit_memo' ? 'Credited amounts' : 'Billed amounts'}
          hint={billType === 'credit_memo' ? 'Enter the credit without a minus sign.' : 'Before retainage, with tax.'}
          actions={
            <Button small icon="plus" onClick={() => setLines([...lines, { ...EMPTY_LINE, key: crypto.randomUUID() }])}>
              Add line
            </Button>
          }
        >
          <FieldErrorAt pointer="/lines" />
          <div className="form">
            {vendorId === '' && <p className="muted">Choose a vendor first. The lines then offer its orders.</p>}
            {vendorId !== '' &&
              lines.map((line, at) => (
                <BillLineFields
                  key={line.key}
                  {...{ line, at, sign }}
                  orders={offered}
                  homeNameOf={(id) => homes.get(id)?.name ?? ''}
                  onChange={(values) => change(line.key, values)}
                  {...(lines.length > 1 && {
                    onRemove: () => setLines(lines.filter(({ key }) => key !== line.key)),
                  })}
                />
              ))}
          </div>
        </Panel>
        <div className="row wrap">
          <Button look="primary" type="submit" busy={isPending} disabled={vendorId === ''}>
            {word}
          </Button>
          <span className="muted" aria-live="polite">
            Total {exact(sign * total)}
          </span>
        </div>
      </div>
    </Form>
  )
}

function toDrafts(bill: Bill | null): readonly LineDraft[] {
  if (bill === null) return [{ ...EMPTY_LINE, key: crypto.randomUUID() }]
  return bill.lines.map((line) => ({
    key: line.lineId,
    poId: line.poId ?? '',
    poLineId: line.poLineId ?? '',
    homeId: line.poId === null ? line.homeId : '',
    costCodeId: line.costCodeId ?? '',
    amount: formatTypedNumber(Math.abs(line.amount)),
    before: line,
  }))
}

function readLine(form: FormData, line: LineDraft, sign: number): BillLineInput {
  const { key, poId, poLineId, homeId, costCodeId } = line
  const description = readTextField(form, `description-${key}`)
  const tax = readNumberField(form, `tax-${key}`)
  const box = BOXES.find((one) => one === readTextField(form, `box-${key}`))
  return {
    ...(poId === '' ? { homeId } : { poId }),
    ...(poId !== '' && poLineId !== '' && { poLineId }),
    ...(costCodeId !== '' && { costCodeId }),
    ...(description !== undefined && { description }),
    amount: sign * (readNumberField(form, `amount-${key}`) ?? 0),
    ...(tax !== undefined && { taxAmount: sign * tax }),
    ...(box !== undefined && { reportingBox: box }),
  }
}

function BillLineFields(props: {
  line: LineDraft
  at: number
  sign: number
  orders: readonly PurchaseOrder[]
  homeNameOf(homeId: string): string
  onChange(values: Partial<LineDraft>): void
  onRemove?(): void
}) {
  const { line, at, sign, orders, homeNameOf, onChange, onRemove } = props
  const { cents, money } = useFormats()
  const { key, before } = line
  const order = orders.find(({ id }) => id === line.poId)
  const pointer = `/lines/${at}`
  return (
    <fieldset className="bill-line">
      <legend className="sr">Line {at + 1}</legend>
      <SelectField
        name={`order-${key}`}
        label="Order"
        pointer={`${pointer}/poId`}
        value={line.poId}
        onChange={(poId) => {
          const chosen = orders.find(({ id }) => id === poId)
          const unbilled = chosen === undefined || sign < 0 ? 0 : chosen.unbilledAmount
          onChange({
            ...{ poId, poLineId: '', homeId: '' },
            ...(line.amount === '' && unbilled > 0 && { amount: formatTypedNumber(unbilled) }),
          })
        }}
        hint={
          order === undefined
            ? undefined
            : `${cents(order.unbilledAmount)} completed and not billed; ${cents(order.total - order.billedAmount)} of ${cents(order.total)} left to bill`
        }
        options={[
          { value: '', label: 'No order' },
          ...orders.map(({ id, number, scope, homeId, unbilledAmount }) => ({
            value: id,
            label: `${number}, ${humanizeName(scope)}, ${homeNameOf(homeId)} (${money(unbilledAmount)} unbilled)`,
          })),
        ]}
      />
      {order === undefined ? (
        <>
          <Field name={`home-${key}`} label="Home" pointer={`${pointer}/homeId`}>
            {(control) => (
              <RecordChoice
                control={control}
                list={{ path: '/api/ext/homes', searches: true }}
                value={line.homeId === '' ? [] : [line.homeId]}
                isMultiple={false}
                onChange={([homeId = '']) => onChange({ homeId })}
              />
            )}
          </Field>
          <CostCodeField
            name={`code-${key}`}
            pointer={`${pointer}/costCodeId`}
            value={line.costCodeId}
            onChange={(costCodeId) => onChange({ costCodeId })}
          />
        </>
      ) : (
        <SelectField
          name={`line-${key}`}
          label="Order line"
          pointer={`${pointer}/poLineId`}
          value={line.poLineId}
          onChange={(poLineId) => onChange({ poLineId })}
          options={[
            { value: '', label: 'Entire order' },
            ...order.lines.map(({ lineId, description, total }) => ({
              value: lineId,
              label: `${description} (${money(total)})`,
            })),
          ]}
        />
      )}
      <TextField
        name={`description-${key}`}
        label="Description"
        optional={order !== undefined}
        pointer={`${pointer}/description`}
        defaultValue={before?.description ?? ''}
      />
      <Field name={`amount-${key}`} label="Amount" pointer={`${pointer}/amount`}>
        {(control) => (
          <input
            {...control}
            className="input num"
            inputMode="decimal"
            autoComplete="off"
            value={line.amount}
            onChange={(event) => onChange({ amount: event.target.value })}
          />
        )}
      </Field>
      <TextField
        name={`tax-${key}`}
        label="Tax included"
        optional
        pointer={`${pointer}/taxAmount`}
        {...(before !== null && before.taxAmount !== 0 && { defaultValue: Math.abs(before.taxAmount) })}
      />
      <SelectField
        name={`box-${key}`}
        label="Form 1099"
        pointer={`${pointer}/reportingBox`}
        defaultValue={before?.reportingBox ?? ''}
        options={[
          { value: '', label: 'As set for the vendor' },
          ...BOXES.map((value) => ({ value, label: BOX_LABELS[value] })),
        ]}
      />
      {onRemove !== undefined && (
        <IconButton icon="x" label={`Remove line ${at + 1}`} look="quiet" onClick={onRemove} />
      )}
    </fieldset>
  )
}

/** Returns a URL with which the page can preview a file that is not stored yet. */
export function useLocalAddress(file: File | null): string | null {
  const address = useMemo(() => (file === null ? null : URL.createObjectURL(file)), [file])
  useEffect(() => {
    if (address === null) return
    return () => URL.revokeObjectURL(address)
  }, [address])
  return address
}

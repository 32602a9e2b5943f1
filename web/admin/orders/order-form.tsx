import { Menu } from '@base-ui/react/menu'
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type {
  PurchaseOrder,
  PurchaseOrderLineInput,
  PurchaseOrderType,
  VarianceReasonCode,
  VarianceResponsible,
} from '../../../client/contract.gen.ts'
import { varianceReasonCodeValues, varianceResponsibleValues } from '../../../client/enums.gen.ts'
import { subtract } from '../../../server/platform/values/money.ts'
import { useHomeOptions } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import {
  FieldErrorAt,
  Form,
  readNumberField,
  readTextField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { VendorField } from '../actions/vendor-field.tsx'
import { PlannedBudgetEffect } from './budget-effect.tsx'
import type { FollowUpKind } from './follow-up-kinds.ts'
import {
  createOrderLine,
  type OrderLineDraft,
  OrderLineFields,
  readOrderLine,
  sumOrderLines,
  toOrderLineDraft,
} from './order-line-fields.tsx'

/** The page size limit of one request. A builder has fewer homes under construction. */
const MAX_HOMES = 200

/** The reasons that say too little without a note. */
const REASONS_WITH_NOTE: readonly string[] = ['backcharge', 'other']

/** The values that a new order and a changed draft both accept. */
export interface OrderInput {
  homeId: string
  poType: PurchaseOrderType
  body: {
    vendorId: string
    scope: string
    lines: PurchaseOrderLineInput[]
    notes: string | null
    retainagePercent?: number
    varianceReasonCode?: VarianceReasonCode | null
    varianceResponsible?: VarianceResponsible | null
  }
}

/**
 * The fields of an order that is edited or created from another order, filled in from that order. Shows the effect of
 * the lines on the budget while the user types.
 */
export function OrderForm(props: {
  /** The kind of the new order; null if the order itself is edited. */
  kind: FollowUpKind | null
  of: PurchaseOrder
  error: unknown
  isPending: boolean
  word: string
  onSubmit(input: OrderInput): void
}) {
  const { kind, error, isPending, word, onSubmit } = props
  // Changes by other users in the meantime do not change the form.
  const [of] = useState(props.of)
  const can = useCan()
  const poType = kind === null || kind === 'copy' ? of.poType : kind
  // A backcharge is stored with a negative amount. The form shows what the vendor owes.
  const sign = poType === 'backcharge' ? -1 : 1
  const isEdit = kind === null
  const [homeId, setHomeId] = useState(of.homeId)
  const [vendorId, setVendorId] = useState(of.vendorId)
  const [scope, setScope] = useState(of.scope)
  const [reason, setReason] = useState<string>(isEdit || kind === 'copy' ? (of.varianceReasonCode ?? '') : '')
  const [lines, setLines] = useState<readonly OrderLineDraft[]>(() =>
    isEdit || kind === 'copy' ? of.lines.map((line) => toOrderLineDraft(line, sign)) : [createOrderLine('new-0')],
  )
  const [initial] = useState({ homeId, vendorId, scope, reason, lines })
  const entries = useMemo(
    () => ({
      current: { homeId, vendorId, scope, reason, lines },
      isChanged:
        homeId !== initial.homeId ||
        vendorId !== initial.vendorId ||
        scope !== initial.scope ||
        reason !== initial.reason ||
        lines !== initial.lines,
      restore(before: typeof initial) {
        setHomeId(before.homeId)
        setVendorId(before.vendorId)
        setScope(before.scope)
        setReason(before.reason)
        setLines(before.lines)
      },
    }),
    [homeId, vendorId, scope, reason, lines, initial],
  )
  const addLine = (line: OrderLineDraft) => setLines((before) => [...before, { ...line, key: crypto.randomUUID() }])
  const { total, root, note } = useTotal(lines, of.currency)
  const planned = total === 0 ? 0 : total * sign
  const submit = (form: FormData) => {
    const retainagePercent = readNumberField(form, 'retainagePercent')
    const isElsewhere = homeId !== of.homeId || scope !== of.scope
    const isVariance = poType === 'variance'
    onSubmit({
      ...{ homeId, poType },
      body: {
        ...{ vendorId, scope },
        lines: lines.map((line) => {
          const { lineId, budgetLineId, ...read } = readOrderLine(form, line, sign)
          return {
            ...read,
            // Only the lines of the draft itself keep their IDs. A budget line belongs to one home and trade.
            ...(isEdit && lineId !== undefined && { lineId }),
            ...(!isElsewhere && budgetLineId !== undefined && { budgetLineId }),
          }
        }),
        notes: readTextField(form, 'notes') ?? null,
        ...(retainagePercent !== undefined && { retainagePercent }),
        ...(isVariance && {
          varianceReasonCode: varianceReasonCodeValues.find((one) => one === reason) ?? null,
          varianceResponsible:
            varianceResponsibleValues.find((one) => one === readTextField(form, 'varianceResponsible')) ?? null,
        }),
      },
    })
  }
  return (
    <Form error={error} entries={entries} onSubmit={submit}>
      <div className="stack" ref={root} onInput={note}>
        <Panel title="Details">
          <div className="form">
            <div className="form-row">
              {kind === 'copy' ? (
                <HomeField value={homeId} onChange={setHomeId} />
              ) : (
                <FixedFact label="Home">
                  <RecordName of="home" id={homeId} isPlain />
                </FixedFact>
              )}
              {mayChooseVendor(kind, of) ? (
                <VendorField value={vendorId} onChange={setVendorId} />
              ) : (
                <FixedFact label="Vendor">
                  <RecordName of="vendor" id={vendorId} isPlain />
                </FixedFact>
              )}
              {poType === 'change' || poType === 'backcharge' ? (
                <FixedFact label="Trade">{humanizeName(scope)}</FixedFact>
              ) : (
                <TradeField homeId={homeId} value={scope} onChange={setScope} />
              )}
            </div>
            {poType === 'variance' && (
              <div className="form-row">
                <SelectField
                  name="varianceReasonCode"
                  label="Reason for the variance"
                  value={reason}
                  onChange={setReason}
                  options={[
                    { value: '', label: 'Choose one' },
                    ...varianceReasonCodeValues.map((value) => ({ value, label: humanizeName(value) })),
                  ]}
                />
                <SelectField
                  name="varianceResponsible"
                  label="Responsible party"
                  defaultValue={kind === 'variance' ? '' : (of.varianceResponsible ?? '')}
                  options={[
                    { value: '', label: 'Choose one' },
                    ...varianceResponsibleValues.map((value) => ({ value, label: humanizeName(value) })),
                  ]}
                />
              </div>
            )}
            {(isEdit || kind === 'copy') && of.rootPoId === null && (
              <TextField
                name="retainagePercent"
                label="Retainage in percent"
                defaultValue={of.retainagePercent}
                hint="Withheld from each bill until the work is complete."
              />
            )}
          </div>
        </Panel>
        <Panel
          title="Lines"
          hint={LINE_HINTS[poType]}
          actions={
            <>
              {(kind === 'change' || kind === 'variance') && <CopyLineMenu of={of} onChoose={addLine} />}
              <Button small icon="plus" onClick={() => addLine(createOrderLine(''))}>
                Add line
              </Button>
            </>
          }
        >
          <FieldErrorAt pointer="/lines" />
          {lines.length === 0 ? (
            <p className="muted">An order needs at least one line.</p>
          ) : (
            <div className="form">
              {lines.map((line, at) => (
                <OrderLineFields
                  key={line.key}
                  {...{ line, at }}
                  withTax
                  onRemove={() => setLines((before) => before.filter((one) => one !== line))}
                />
              ))}
            </div>
          )}
        </Panel>
        <Panel title="Total and budget">
          <div className="stack">
            <Totals of={of} kind={kind} poType={poType} total={planned} />
            {can('budgets:read') && scope !== '' && (
              <PlannedBudgetEffect
                homeId={homeId}
                scope={scope}
                added={isEdit ? subtract(planned, of.total) : planned}
                word={isEdit ? 'this change' : 'this order'}
              />
            )}
          </div>
        </Panel>
        <Panel title="Note">
          <div className="form">
            <TextAreaField
              // The note of an order does not apply to an order that follows it.
              defaultValue={isEdit || kind === 'copy' ? (of.notes ?? '') : ''}
              name="notes"
              label="Note for the vendor"
              optional={poType !== 'variance' || !REASONS_WITH_NOTE.includes(reason)}
              {...(poType === 'variance' &&
                REASONS_WITH_NOTE.includes(reason) && {
                  hint: 'Explain the variance here. The reason alone is not specific enough.',
                })}
            />
            <div className="row">
              <Button look="primary" type="submit" busy={isPending} disabled={lines.length === 0}>
                {word}
              </Button>
            </div>
          </div>
        </Panel>
      </div>
    </Form>
  )
}

const LINE_HINTS: Readonly<Partial<Record<PurchaseOrderType, string>>> = {
  change: 'Enter only the difference. A negative unit price reduces the total.',
  backcharge: 'Enter the amounts that the vendor owes as positive numbers.',
}

/** Returns whether another vendor can do the work. The vendor of a bid or contract is fixed. */
function mayChooseVendor(kind: FollowUpKind | null, { poType, bidId, contractId }: PurchaseOrder): boolean {
  if (kind === 'variance') return true
  if (kind === 'change' || kind === 'backcharge') return false
  if (poType === 'change' || poType === 'backcharge') return false
  return kind === 'copy' || (bidId === null && contractId === null)
}

/** Adds the entered lines while the user types. */
function useTotal(lines: readonly OrderLineDraft[], currency: string) {
  const root = useRef<HTMLDivElement>(null)
  const [total, setTotal] = useState(0)
  const compute = (element: HTMLElement | null) => {
    const form = element?.closest('form')
    if (form != null) setTotal(sumOrderLines(new FormData(form), lines, currency))
  }
  // Entries of a draft are restored after the lines are rendered. Restoring them sends an input event, which calls
  // `note`.
  useEffect(() => compute(root.current), [lines])
  return { total, root, note: (event: FormEvent<HTMLElement>) => compute(event.currentTarget) }
}

function FixedFact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span>{children}</span>
    </div>
  )
}

function HomeField({ value, onChange }: { value: string; onChange(homeId: string): void }) {
  const homes = useListPage('/api/ext/homes', { limit: MAX_HOMES, sort: 'name' })
  const options = useHomeOptions(homes.data?.data ?? [])
  return <SelectField name="homeId" label="Home" value={value} onChange={onChange} options={options} />
}

/** The trades of the home's budget, and the trade of the order. */
function TradeField({ homeId, value, onChange }: { homeId: string; value: string; onChange(scope: string): void }) {
  const can = useCan()
  const at = { params: { path: { homeId } } }
  const budget = plumbline.useQuery('get', '/api/ext/homes/{homeId}/budget', at, { enabled: can('budgets:read') }).data
  const names = new Set([value, ...(budget?.scopes ?? []).map(({ scope }) => scope)])
  return (
    <SelectField
      name="scope"
      label="Trade"
      value={value}
      onChange={onChange}
      hint="The order counts toward this trade of the budget."
      options={[...names].map((name) => ({ value: name, label: humanizeName(name) }))}
    />
  )
}

/** Adds a line of the earlier order, with its unit, price, and cost code. */
function CopyLineMenu({ of, onChoose }: { of: PurchaseOrder; onChoose(line: OrderLineDraft): void }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button small />}>Add line of {of.number}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="over" sideOffset={4} align="end">
          <Menu.Popup className="menu options">
            {of.lines.map((line) => (
              <Menu.Item
                key={line.lineId}
                onClick={() => {
                  const { initial, ...draft } = toOrderLineDraft(line, 1)
                  onChoose({ ...draft, initial: { ...initial, quantity: '' } })
                }}
              >
                {line.description}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Totals(props: { of: PurchaseOrder; kind: FollowUpKind | null; poType: PurchaseOrderType; total: number }) {
  const { of, kind, poType, total } = props
  const { cents } = useFormats()
  const { whole } = of
  return (
    <p aria-live="polite">
      {poType === 'backcharge' ? (
        <>
          The vendor owes <b>{cents(total === 0 ? 0 : -total)}</b>.
        </>
      ) : (
        <>
          {kind === 'change' ? 'Difference' : 'Total'} <b>{cents(total)}</b>.
        </>
      )}{' '}
      {kind === 'change' && total !== 0 && whole !== null && (
        <span className="muted">
          The total of {of.number} with its changes is {cents(whole.total + whole.pendingChanges)}, and{' '}
          {cents(whole.total + whole.pendingChanges + total)} with this change.
        </span>
      )}
      {kind === null && total !== of.total && <span className="muted">The previous total was {cents(of.total)}.</span>}
    </p>
  )
}

/** The frame of the pages that edit an order or create an order from it. */
export function OrderFormPage(props: {
  order: PurchaseOrder | undefined
  title: string
  /** The heading, before the number of the order, if it is not the title. */
  heading?: string
  purpose: string
  children: ReactNode
}) {
  const { order, title, heading = title, purpose, children } = props
  const number = order?.number ?? 'Order'
  return (
    <Page
      title={`${title}, ${number}`}
      crumbs={[
        { name: 'Orders', to: '/orders' },
        { name: number, ...(order !== undefined && { to: `/orders/${order.id}` }) },
        { name: title },
      ]}
    >
      <div className="page-head">
        <h1>
          {heading} {order !== undefined && <span className="faint">{number}</span>}
        </h1>
        <p>{purpose}</p>
      </div>
      {children}
    </Page>
  )
}

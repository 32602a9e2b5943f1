import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { parseTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, FieldErrorAt, Form, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { CostCodeField } from '../actions/cost-code-field.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_TRADES = 200

/** The home, trade, and cost code of a cost. */
interface CostPlace {
  homeId: string
  costCodeId: string
}

interface LineDraft extends CostPlace {
  key: string
  amount: string
}

const EMPTY_PLACE: CostPlace = { homeId: '', costCodeId: '' }
const createLine = (): LineDraft => ({ ...EMPTY_PLACE, key: crypto.randomUUID(), amount: '' })

/** Creates a journal with several lines, or a transfer of cost from one home to another. */
export function Component() {
  const [params] = useSearchParams()
  const isTransfer = params.get('kind') === 'transfer'
  const name = isTransfer ? 'Transfer cost' : 'New journal'
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Journals', to: '/accounting/journals' }, { name }]}
    >
      <div className="page-head">
        <h1>{name}</h1>
        <p>
          {isTransfer
            ? 'Move a cost to another home, trade, or cost code. Orders, bills, and payments do not change.'
            : 'Record a cost that no order, bill, or timesheet records, such as a permit fee.'}
        </p>
      </div>
      {isTransfer ? <TransferForm fromHomeId={params.get('homeId') ?? ''} /> : <JournalForm />}
    </Page>
  )
}

function useShowJournal(): (journal: { id: string; number: string }) => void {
  const navigate = useNavigate()
  return ({ id, number }) => {
    showToast(`${number} created`)
    void navigate(`/accounting/journals/${id}`)
  }
}

function JournalForm() {
  const { today, cents } = useFormats()
  const trades = useTradeOptions()
  const showJournal = useShowJournal()
  const [lines, setLines] = useState<readonly LineDraft[]>(() => [createLine()])
  const create = plumbline.useMutation('post', '/api/ext/ledger/journals', { onSuccess: showJournal })
  const entries = useMemo(
    () => ({
      current: lines,
      isChanged: lines.length > 1 || lines.some(({ homeId, amount }) => homeId !== '' || amount !== ''),
      restore: (before: readonly LineDraft[]) => setLines(before),
    }),
    [lines],
  )
  const change = (key: string, values: Partial<LineDraft>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...values } : line)))
  const total = lines.reduce((sum, { amount }) => sum + (parseTypedNumber(amount).value ?? 0), 0)
  const submit = (form: FormData) => {
    const effectiveDate = readTextField(form, 'effectiveDate')
    create.mutate({
      body: {
        note: readTextField(form, 'note') ?? '',
        ...(effectiveDate !== undefined && { effectiveDate }),
        lines: lines.map(({ key, homeId, costCodeId }) => ({
          ...{ homeId, scope: readTextField(form, `scope-${key}`) ?? null },
          costCodeId: costCodeId === '' ? null : costCodeId,
          amount: readNumberField(form, `amount-${key}`) ?? 0,
        })),
      },
    })
  }
  return (
    <Form error={create.error} onSubmit={submit} entries={entries}>
      <div className="stack">
        <Panel title="Details">
          <div className="form">
            <div className="form-row">
              <TextField name="effectiveDate" label="Date" type="date" defaultValue={today()} max={today()} />
              <TextField name="note" label="Reason" hint="Shown in the ledger of each home." />
            </div>
          </div>
        </Panel>
        <Panel
          title="Lines"
          hint="a negative amount lowers the cost"
          actions={
            <Button small icon="plus" onClick={() => setLines([...lines, createLine()])}>
              Add line
            </Button>
          }
        >
          <FieldErrorAt pointer="/lines" />
          <div className="form">
            {lines.map((line, at) => (
              <fieldset key={line.key} className="bill-line">
                <legend className="sr">Line {at + 1}</legend>
                <PlaceFields
                  place={line}
                  suffix={`-${line.key}`}
                  pointers={{
                    homeId: `/lines/${at}/homeId`,
                    scope: `/lines/${at}/scope`,
                    costCodeId: `/lines/${at}/costCodeId`,
                  }}
                  trades={trades}
                  onChange={(values) => change(line.key, values)}
                />
                <Field name={`amount-${line.key}`} label="Amount" pointer={`/lines/${at}/amount`}>
                  {(control) => (
                    <input
                      {...control}
                      className="input num"
                      inputMode="decimal"
                      autoComplete="off"
                      value={line.amount}
                      onChange={(event) => change(line.key, { amount: event.target.value })}
                    />
                  )}
                </Field>
                {lines.length > 1 && (
                  <IconButton
                    icon="x"
                    label={`Remove line ${at + 1}`}
                    look="quiet"
                    onClick={() => setLines(lines.filter(({ key }) => key !== line.key))}
                  />
                )}
              </fieldset>
            ))}
          </div>
        </Panel>
        <div className="row wrap">
          <Button look="primary" type="submit" busy={create.isPending}>
            Create journal
          </Button>
          <span className="muted" aria-live="polite">
            Total {cents(total)}
          </span>
        </div>
      </div>
    </Form>
  )
}

function TransferForm({ fromHomeId }: { fromHomeId: string }) {
  const { today } = useFormats()
  const trades = useTradeOptions()
  const showJournal = useShowJournal()
  const [from, setFrom] = useState<CostPlace>({ ...EMPTY_PLACE, homeId: fromHomeId })
  const [to, setTo] = useState<CostPlace>(EMPTY_PLACE)
  const transfer = plumbline.useMutation('post', '/api/ext/ledger/transfers', { onSuccess: showJournal })
  const entries = useMemo(
    () => ({
      current: { from, to },
      isChanged: from.homeId !== fromHomeId || to.homeId !== '',
      restore(before: { from: CostPlace; to: CostPlace }) {
        setFrom(before.from)
        setTo(before.to)
      },
    }),
    [from, to, fromHomeId],
  )
  const submit = (form: FormData) => {
    const effectiveDate = readTextField(form, 'effectiveDate')
    transfer.mutate({
      body: {
        fromHomeId: from.homeId,
        fromScope: readTextField(form, 'scope-from') ?? null,
        fromCostCodeId: from.costCodeId === '' ? null : from.costCodeId,
        toHomeId: to.homeId,
        toScope: readTextField(form, 'scope-to') ?? null,
        toCostCodeId: to.costCodeId === '' ? null : to.costCodeId,
        amount: readNumberField(form, 'amount') ?? 0,
        note: readTextField(form, 'note') ?? '',
        ...(effectiveDate !== undefined && { effectiveDate }),
      },
    })
  }
  return (
    <Form error={transfer.error} onSubmit={submit} entries={entries} draft="transfer">
      <div className="stack">
        <Panel title="From">
          <div className="form-row">
            <PlaceFields
              place={from}
              suffix="-from"
              pointers={{ homeId: '/fromHomeId', scope: '/fromScope', costCodeId: '/fromCostCodeId' }}
              trades={trades}
              onChange={(values) => setFrom({ ...from, ...values })}
            />
          </div>
        </Panel>
        <Panel title="To">
          <div className="form-row">
            <PlaceFields
              place={to}
              suffix="-to"
              pointers={{ homeId: '/toHomeId', scope: '/toScope', costCodeId: '/toCostCodeId' }}
              trades={trades}
              onChange={(values) => setTo({ ...to, ...values })}
            />
          </div>
        </Panel>
        <Panel title="Transfer">
          <div className="form">
            <div className="form-row">
              <TextField name="amount" label="Amount" />
              <TextField name="effectiveDate" label="Date" type="date" defaultValue={today()} max={today()} />
            </div>
            <TextField name="note" label="Reason" />
            <div className="row">
              <Button look="primary" type="submit" busy={transfer.isPending}>
                Transfer cost
              </Button>
            </div>
          </div>
        </Panel>
      </div>
    </Form>
  )
}

function useTradeOptions(): readonly { value: string; label: string }[] {
  const { data } = useListPage('/api/ext/scopes', { limit: MAX_TRADES, sort: 'name' })
  return [
    { value: '', label: 'No trade' },
    ...(data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
  ]
}

/** The fields for the home, trade, and cost code of a cost. */
function PlaceFields(props: {
  place: CostPlace
  suffix: string
  pointers: { homeId: string; scope: string; costCodeId: string }
  trades: readonly { value: string; label: string }[]
  onChange(values: Partial<CostPlace>): void
}) {
  const { place, suffix, pointers, trades, onChange } = props
  return (
    <>
      <Field name={`home${suffix}`} label="Home" pointer={pointers.homeId}>
        {(control) => (
          <RecordChoice
            control={control}
            list={{ path: '/api/ext/homes', searches: true }}
            value={place.homeId === '' ? [] : [place.homeId]}
            isMultiple={false}
            onChange={([homeId = '']) => onChange({ homeId })}
          />
        )}
      </Field>
      <SelectField name={`scope${suffix}`} label="Trade" pointer={pointers.scope} options={trades} />
      <CostCodeField
        name={`code${suffix}`}
        pointer={pointers.costCodeId}
        value={place.costCodeId}
        onChange={(costCodeId) => onChange({ costCodeId })}
      />
    </>
  )
}

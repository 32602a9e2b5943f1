import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type {
  Form1099,
  Form1099AsFiled,
  Form1099Box,
  Form1099Correction,
  Form1099Vendor,
} from '../../../client/contract.gen.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { client, plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/csv.ts'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ParamSelect, useQueryParam } from '../../ui/param-select.tsx'
import { ChangeError, EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'
import { loadWholeCsv } from './whole-csv.ts'

const PAGE_SIZE = 100
/** Forms are filed and corrected for the last few years. */
const YEARS = 5

const BOX_WORDS: Readonly<Record<Form1099Box['box'], string>> = {
  nec_1: 'Services, box 1',
  misc_1: 'Rent, box 1',
  misc_3: 'Other income, box 3',
  misc_6: 'Medical, box 6',
  misc_10: 'Attorney, box 10',
}

/** A form of a vendor. A vendor can need both forms. */
interface FormRow {
  vendor: Form1099Vendor
  form: Form1099
}

/** Lists the Forms 1099 of a year, records their filing, and shows filed forms that need a correction. */
export function Component() {
  const [params] = useSearchParams()
  const { today, money } = useFormats()
  const setAfter = useQueryParam('after')
  const thisYear = Number(today().slice(0, 4))
  const year = Number(params.get('year') ?? thisYear - 1)
  const after = params.get('after')
  const totals = plumbline.useQuery(
    'get',
    '/api/ext/accounting/tax-totals',
    { params: { query: { year, limit: PAGE_SIZE, ...(after !== null && { afterVendorId: after }) } } },
    { meta: MAIN_QUERY },
  )
  const data = totals.data
  const rows = data?.vendors.flatMap((vendor) => vendor.forms.map((form): FormRow => ({ vendor, form })))
  const missing = data?.vendors.filter(({ taxIdLast4 }) => taxIdLast4 === null) ?? []
  return (
    <Page
      title={`Form 1099, ${year}`}
      crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Form 1099' }]}
      actions={<CsvButton year={year} />}
    >
      <div className="page-head">
        <h1>Form 1099</h1>
        <p>Vendors whose payments you report to the IRS. Plumbline does not file the forms.</p>
      </div>
      <AccountingTabs />
      <search className="filters">
        <ParamSelect
          name="year"
          label="Year"
          options={Array.from({ length: YEARS }, (_, at) => thisYear - at).map((one) => ({
            value: one === thisYear - 1 ? '' : String(one),
            label: String(one),
          }))}
        />
      </search>
      <TitleBlock
        name={`Payments in ${year}`}
        facts={[
          { label: 'Vendors', isFigure: true, value: data?.vendorCount ?? '…' },
          { label: 'Total', isFigure: true, value: data === undefined ? '…' : money(data.total) },
          { label: 'Threshold', value: data === undefined ? '…' : money(data.threshold) },
          { label: 'Without tax ID', value: missing.length, note: missing.length > 0 ? 'request a W-9' : undefined },
        ]}
      />
      <Corrections key={year} year={year} />
      <Panel title="Forms to file" isFlush>
        {totals.error !== null ? (
          <LoadError what="The forms" error={totals.error} onRetry={() => void totals.refetch()} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="check" title={`No forms for ${year}`}>
            No vendor was paid enough to require a form.
          </EmptyState>
        ) : (
          <FormTable rows={rows} year={year} />
        )}
      </Panel>
      {data !== undefined && (data.lastVendorId !== null || after !== null) && (
        <div className="pager">
          <span>{formatCount(data.vendors.length, 'vendor')}</span>
          <span className="btns">
            <Button small disabled={after === null} onClick={() => setAfter('')}>
              First page
            </Button>
            <Button small disabled={data.lastVendorId === null} onClick={() => setAfter(data.lastVendorId ?? '')}>
              Next
            </Button>
          </span>
        </div>
      )}
    </Page>
  )
}

function FormTable({ rows, year }: { rows: readonly FormRow[] | undefined; year: number }) {
  const can = useCan()
  const { cents } = useFormats()
  const [filing, setFiling] = useState<FormRow | null>(null)
  const columns: readonly Column<FormRow>[] = [
    {
      head: 'Vendor',
      cell: ({ vendor: { vendorId, companyName, payments } }) => (
        <>
          <Link className="lead" to={`/vendors/${vendorId}`}>
            {companyName}
          </Link>
          <span className="sub">{formatCount(payments, 'payment')}</span>
        </>
      ),
    },
    { head: 'Form', className: 'nowrap', cell: ({ form }) => form.form },
    {
      head: 'Tax ID',
      cell: ({ vendor: { taxIdLast4 } }) =>
        taxIdLast4 === null ? <EmptyCell word="missing" /> : `ends with ${taxIdLast4}`,
    },
    {
      head: 'Boxes',
      cell: ({ form }) => form.boxes.map(({ box, amount }) => `${BOX_WORDS[box]}: ${cents(amount)}`).join('; '),
    },
    { head: 'Tax withheld', numeric: true, cell: ({ form }) => cents(form.backupWithheld) },
    {
      head: 'Amount',
      numeric: true,
      cell: ({ form }) => cents(form.boxes.reduce((sum, { amount }) => sum + amount, 0)),
    },
    ...(can('payments:write')
      ? [
          {
            head: 'Filing',
            className: 'num',
            cell: (row: FormRow) => (
              <Button small onClick={() => setFiling(row)}>
                Record filing<span className="sr"> for {row.vendor.companyName}</span>
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <div className="table-wrap">
      <Table
        caption="Forms to file"
        columns={columns}
        rows={rows}
        keyOf={({ vendor, form }) => `${vendor.vendorId} ${form.form}`}
      />
      {filing !== null && (
        <FilingDialog
          vendorId={filing.vendor.vendorId}
          companyName={filing.vendor.companyName}
          year={year}
          form={filing.form}
          onClose={() => setFiling(null)}
        />
      )}
    </div>
  )
}

/** Records that a form was filed, with the amounts on the filed form. */
function FilingDialog(props: { vendorId: string; companyName: string; year: number; form: Form1099; onClose(): void }) {
  const { vendorId, companyName, year, form, onClose } = props
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/accounting/tax-filings', {
    onSuccess: () => {
      showToast(`Filing for ${companyName} recorded`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Record Form ${form.form} of ${companyName}`}
      size="narrow"
      word="Record filing"
      {...{ change, onClose }}
      onSubmit={(entered) =>
        change.mutate({
          body: {
            ...{ vendorId, year, form: form.form, filedOn: readTextField(entered, 'filedOn') ?? '' },
            boxes: form.boxes.map(({ box }) => ({ box, amount: readNumberField(entered, box) ?? 0 })),
            backupWithheld: readNumberField(entered, 'backupWithheld') ?? 0,
          },
        })
      }
    >
      <TextField name="filedOn" label="Filed on" type="date" defaultValue={today()} max={today()} autoFocus />
      {form.boxes.map(({ box, amount }, at) => (
        <TextField key={box} name={box} label={BOX_WORDS[box]} pointer={`/boxes/${at}/amount`} defaultValue={amount} />
      ))}
      <TextField name="backupWithheld" label="Tax withheld, box 4" defaultValue={form.backupWithheld} />
      <p className="muted">
        Records the form as you filed it. If a payment changes later, the form appears under corrections.
      </p>
    </FormDialog>
  )
}

const CORRECTION_REASONS: Readonly<Record<Form1099Correction['reasons'][number], string>> = {
  amount: 'Amount',
  name: 'Name',
  tax_id: 'Tax ID',
}

/** Lists filed forms that no longer agree with the payments. */
function Corrections({ year }: { year: number }) {
  const can = useCan()
  const { day, cents } = useFormats()
  const [after, setAfter] = useState<string | null>(null)
  const [filing, setFiling] = useState<Form1099Correction | null>(null)
  const found = plumbline.useQuery('get', '/api/ext/accounting/tax-corrections', {
    params: { query: { year, ...(after !== null && { afterFilingId: after }) } },
  })
  const { data, error } = found
  if (error !== null) return <LoadError what="The corrections" error={error} onRetry={() => void found.refetch()} />
  if (data === undefined || (data.corrections.length === 0 && data.lastFilingId === null)) return null
  const describe = ({ boxes, backupWithheld, companyName, taxIdLast4 }: Form1099AsFiled) => (
    <>
      {boxes.length === 0
        ? 'no amount'
        : boxes.map(({ box, amount }) => `${BOX_WORDS[box]}: ${cents(amount)}`).join('; ')}
      {backupWithheld > 0 && `; tax withheld: ${cents(backupWithheld)}`}
      <span className="sub">
        {companyName}, {taxIdLast4 === null ? 'no tax ID' : `tax ID ends with ${taxIdLast4}`}
      </span>
    </>
  )
  const columns: readonly Column<Form1099Correction>[] = [
    {
      head: 'Vendor',
      cell: ({ vendorId, correct }) => (
        <Link className="lead" to={`/vendors/${vendorId}`}>
          {correct.companyName}
        </Link>
      ),
    },
    { head: 'Form', className: 'nowrap', cell: ({ form }) => form },
    { head: 'Filed on', className: 'nowrap', cell: ({ filedOn }) => day(filedOn) },
    { head: 'Difference', cell: ({ reasons }) => reasons.map((reason) => CORRECTION_REASONS[reason]).join(', ') },
    { head: 'As filed', cell: ({ filed }) => describe(filed) },
    { head: 'Correct', cell: ({ correct }) => describe(correct) },
    ...(can('payments:write')
      ? [
          {
            head: 'Filing',
            className: 'num',
            cell: (row: Form1099Correction) =>
              row.correct.boxes.length === 0 ? (
                <EmptyCell word="no amount left" />
              ) : (
                <Button small onClick={() => setFiling(row)}>
                  Record correction<span className="sr"> for {row.correct.companyName}</span>
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Corrections"
      hint="filed forms that differ from the payments"
      isFlush
      actions={
        data.lastFilingId !== null && (
          <Button small onClick={() => setAfter(data.lastFilingId)}>
            Check more forms
          </Button>
        )
      }
    >
      <div className="table-wrap">
        <Table caption="Corrections" columns={columns} rows={data.corrections} keyOf={({ filingId }) => filingId} />
      </div>
      {filing !== null && (
        <FilingDialog
          vendorId={filing.vendorId}
          companyName={filing.correct.companyName}
          year={year}
          form={{ form: filing.form, boxes: filing.correct.boxes, backupWithheld: filing.correct.backupWithheld }}
          onClose={() => setFiling(null)}
        />
      )}
    </Panel>
  )
}

/** Saves the forms of all vendors as one CSV file for a filing service. */
function CsvButton({ year }: { year: number }) {
  const save = useMutation({
    mutationFn: () =>
      loadWholeCsv('vendorId', async (afterVendorId) => {
        const { data, error } = await client.GET('/api/ext/accounting/tax-totals.csv', {
          params: { query: { year, ...(afterVendorId !== undefined && { afterVendorId }) } },
          parseAs: 'text',
        })
        if (error !== undefined) throw error
        return data
      }),
    meta: { changesNothing: true },
    onSuccess: (file) => saveFile(file, `form-1099-${year}.csv`),
  })
  return (
    <>
      <ChangeError error={save.error} />
      <Button icon="download" busy={save.isPending} onClick={() => save.mutate()}>
        Export
      </Button>
    </>
  )
}

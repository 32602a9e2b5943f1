import { useMutation } from '@tanstack/react-query'
import type { LedgerType } from '../../../client/contract.gen.ts'
import { client } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/csv.ts'
import { Form, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'
import { isLedgerType, LEDGER_TYPE_OPTIONS, LEDGER_TYPE_WORDS } from './ledger-words.ts'
import { loadWholeCsv } from './whole-csv.ts'

/** Saves accounting records and the postings of the cost ledger as files for a spreadsheet. */
export function Component() {
  const can = useCan()
  return (
    <Page title="Accounting export" crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Export' }]}>
      <div className="page-head">
        <h1>Export</h1>
        <p>CSV files for your accountant or for an import into your accounting system.</p>
      </div>
      <AccountingTabs />
      <div className="cols">
        <RecordExport />
        {can('ledger:read') && <PostingExport />}
      </div>
    </Page>
  )
}

function RecordExport() {
  const save = useMutation({
    mutationFn: async (type: LedgerType) => {
      const file = await loadWholeCsv('id', async (afterId) => {
        const { data, error } = await client.GET('/api/ext/accounting/export.csv', {
          params: { query: { type, ...(afterId !== undefined && { afterId }) } },
          parseAs: 'text',
        })
        if (error !== undefined) throw error
        return data
      })
      saveFile(file, `${LEDGER_TYPE_WORDS[type][1].toLowerCase().replaceAll(' ', '-')}.csv`)
    },
    meta: { changesNothing: true },
    onSuccess: () => showToast('Export saved'),
  })
  const submit = (form: FormData) => {
    const type = readTextField(form, 'type') ?? ''
    if (isLedgerType(type)) save.mutate(type)
  }
  return (
    <Panel title="Records">
      <Form draft={null} error={null} onSubmit={submit}>
        <SelectField
          name="type"
          label="Records"
          defaultValue="bill"
          options={LEDGER_TYPE_OPTIONS}
          hint="Only records that belong in accounting, such as approved bills."
        />
        <ChangeError error={save.error} />
        <div className="row">
          <Button icon="download" type="submit" busy={save.isPending}>
            Export records
          </Button>
        </div>
      </Form>
    </Panel>
  )
}

function PostingExport() {
  const { today } = useFormats()
  const save = useMutation({
    mutationFn: async ({ from, to }: { from: string | undefined; to: string | undefined }) => {
      const file = await loadWholeCsv('sequence', async (after) => {
        const { data, error } = await client.GET('/api/ext/ledger/postings.csv', {
          params: {
            query: {
              ...(from !== undefined && { from }),
              ...(to !== undefined && { to }),
              ...(after !== undefined && { afterSequence: Number(after) }),
            },
          },
          parseAs: 'text',
        })
        if (error !== undefined) throw error
        return data
      })
      saveFile(file, 'postings.csv')
    },
    meta: { changesNothing: true },
    onSuccess: () => showToast('Export saved'),
  })
  const submit = (form: FormData) => save.mutate({ from: readTextField(form, 'from'), to: readTextField(form, 'to') })
  return (
    <Panel title="Cost ledger">
      <Form draft={null} error={null} onSubmit={submit}>
        <div className="form-row">
          <TextField name="from" label="From" type="date" defaultValue={`${today().slice(0, 4)}-01-01`} />
          <TextField name="to" label="To" type="date" defaultValue={today()} />
        </div>
        <ChangeError error={save.error} />
        <div className="row">
          <Button icon="download" type="submit" busy={save.isPending}>
            Export postings
          </Button>
        </div>
      </Form>
    </Panel>
  )
}

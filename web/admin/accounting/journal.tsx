import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Journal, JournalLine } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { JOURNAL_WORDS } from './journals.tsx'

/** Shows one journal with its lines, and reverses it. */
export function Component() {
  const { entryId = '' } = useParams()
  const can = useCan()
  const [isReversing, setIsReversing] = useState(false)
  const { data, error, refetch } = plumbline.useQuery('get', '/api/ext/ledger/journals/{entryId}', {
    params: { path: { entryId } },
  })
  const name = data?.number ?? 'Journal'
  const isReversible =
    data !== undefined && data.journalType !== 'reversal' && data.reversedByEntryId === null && can('ledger:write')
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Journals', to: '/accounting/journals' }, { name }]}
      actions={isReversible && <Button onClick={() => setIsReversing(true)}>Reverse</Button>}
    >
      {error !== null ? (
        <LoadError what="The journal" error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <JournalFacts journal={data} />
      )}
      {isReversing && data !== undefined && <ReverseDialog journal={data} onClose={() => setIsReversing(false)} />}
    </Page>
  )
}

function JournalFacts({ journal }: { journal: Journal }) {
  const { day, cents } = useFormats()
  const { number, journalType, effectiveDate, amount, note, reversesEntryId, reversedByEntryId } = journal
  const columns: readonly Column<JournalLine>[] = [
    { head: 'Home', cell: ({ homeId }) => <RecordName of="home" id={homeId} /> },
    { head: 'Trade', cell: ({ scope }) => (scope === null ? <EmptyCell /> : humanizeName(scope)) },
    {
      head: 'Cost code',
      cell: ({ costCodeId }) => (costCodeId === null ? <EmptyCell /> : <RecordName of="costCode" id={costCodeId} />),
    },
    { head: 'Amount', numeric: true, cell: ({ amount: cost }) => cents(cost) },
  ]
  return (
    <>
      <TitleBlock
        name={number}
        sub={JOURNAL_WORDS[journalType]}
        facts={[
          { label: 'Amount', isFigure: true, value: cents(amount) },
          { label: 'Date', value: day(effectiveDate) },
          { label: 'Accounting ID', value: journal.accountingId ?? 'not synced', isWideOnly: true },
        ]}
      />
      <div className="cols">
        <Panel title="Lines" isFlush>
          <div className="table-wrap">
            <Table
              caption="Lines"
              columns={columns}
              rows={journal.lines}
              keyOf={(line) => JSON.stringify([line, journal.lines.indexOf(line)])}
            />
          </div>
        </Panel>
        <Panel title="Details">
          <KeyValues
            facts={[
              ['Reason', note],
              ['Entered by', <ActorName key="by" of={journal.createdBy} />],
              ['Entered', <TimeText key="at" at={journal.createdAt} />],
              ...(reversesEntryId === null
                ? []
                : [['Reverses', <JournalLink key="of" id={reversesEntryId} word="Reversed journal" />] as const]),
              ...(reversedByEntryId === null
                ? []
                : [['Reversed by', <JournalLink key="by-other" id={reversedByEntryId} word="Reversal" />] as const]),
            ]}
          />
        </Panel>
      </div>
    </>
  )
}

function JournalLink({ id, word }: { id: string; word: string }) {
  const { data } = plumbline.useQuery('get', '/api/ext/ledger/journals/{entryId}', {
    params: { path: { entryId: id } },
  })
  return <Link to={`/accounting/journals/${id}`}>{data?.number ?? word}</Link>
}

function ReverseDialog({ journal, onClose }: { journal: Journal; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/ledger/journals/{entryId}/reverse', {
    onSuccess: ({ number }) => {
      showToast(`${journal.number} reversed by ${number}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Reverse ${journal.number}?`}
      size="narrow"
      word="Reverse"
      isDanger
      {...{ change, onClose }}
      onSubmit={(form) => {
        const effectiveDate = readTextField(form, 'effectiveDate')
        change.mutate({
          params: { path: { entryId: journal.id } },
          body: { reason: readTextField(form, 'reason') ?? '', ...(effectiveDate !== undefined && { effectiveDate }) },
        })
      }}
    >
      <TextField name="reason" label="Reason" autoFocus />
      <TextField
        name="effectiveDate"
        label="Date of the reversal"
        type="date"
        defaultValue={today()}
        min={journal.effectiveDate}
        max={today()}
      />
      <p className="muted">A new journal with the opposite amounts is posted. The original journal stays.</p>
    </FormDialog>
  )
}
